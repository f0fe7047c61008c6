"""Where pages and trackers live: on disk or in RAM, sealed or plain."""

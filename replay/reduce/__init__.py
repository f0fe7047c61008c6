"""A journal that diverges, made as small as it gets while it still diverges in the same way."""

"""The contract's rules as data: what PORT.toml says of them, and which steps of which journals exercise them."""

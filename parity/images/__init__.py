"""Images that stay in a conversation across turns: the turn's state, their cost, their store (contract: keepimg.md)."""

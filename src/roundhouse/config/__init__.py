"""Configuration of a house: the types, checks and loading of ``house.toml``, and a demo house."""

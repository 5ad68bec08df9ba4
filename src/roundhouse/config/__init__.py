"""The configuration of a house: house.toml, its types, its checks and the play-money house."""

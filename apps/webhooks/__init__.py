"""Programs outside that want to be told: where, about what, and whether it has reached them."""

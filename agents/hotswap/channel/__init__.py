"""Control connections over sockets: what ``hotswap.wire`` describes, carried out."""

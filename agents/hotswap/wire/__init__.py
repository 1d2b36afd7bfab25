"""The wire contract, pure: messages, frames, codec, handshake; msgspec and stdlib only."""

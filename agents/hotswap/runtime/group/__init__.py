"""The process group behind ``backend="hotswap"``."""

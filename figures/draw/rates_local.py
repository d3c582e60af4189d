"""As for the other rates."""

from figures.draw.rates import draw

__all__ = ["draw"]

"""Questions that the library and independent programs answer side by side."""

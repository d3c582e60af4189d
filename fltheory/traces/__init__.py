"""Who delivers what, and when."""

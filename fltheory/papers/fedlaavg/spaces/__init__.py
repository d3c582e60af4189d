"""Where its statements may fail: the regions that an attack searches."""

"""From a biased Flower log to better training: an example on digits with real clients over gRPC."""

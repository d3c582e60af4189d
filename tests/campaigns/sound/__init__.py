"""True claims, made at random from known theorems."""

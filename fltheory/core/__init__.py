"""Numbers, errors, randomness, words and reading of untrusted files: nothing about learning."""

"""Rates of gradient descent that potentials for every horizon and AutoLyap both find: (mu, step
size), L = 1, as fractions in text."""

CASES = [
    ("1/10", "1/2"),
    ("1/10", "1"),
    ("1/10", "9/5"),
    ("1/100", "1"),
    ("1/100", "19/10"),
    ("1/1000", "1/2"),
]

"""Does an implementation do what its algorithm says? Runs of both, compared round by round."""

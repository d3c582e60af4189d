"""The four papers' own experiments, as declarative files, run by the same engine as everything
else."""

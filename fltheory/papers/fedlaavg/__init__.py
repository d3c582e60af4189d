"""FedLaAvg: Yan et al., distributed non-convex optimization with sublinear speedup under
intermittent client availability."""

NOT_CLAIMS = {
    "fedlaavg.fig1": (
        "an illustration of the latest participations for one client per iteration; its text has no"
        " numbers"
    ),
    "fedlaavg.exp.baselines": (
        'curves on MNIST that "almost overlap": the text has no numbers, and a threshold would be'
        " ours; where the methods end on Example 1 is fedlaavg.ex1.variants"
    ),
}

"""The paper and the letters that all its claims share."""

from fltheory.claims import Paper
from fltheory.vocabulary import symbol

PAPER = Paper(
    key="fedlaavg",
    title="Distributed Non-Convex Optimization with Sublinear Speedup under Intermittent Client Availability",
    authors="Yikai Yan and Chaoyue Niu and Yucheng Ding and Zhenzhe Zheng and Fan Wu and Guihai Chen and Shaojie Tang and Zhihua Wu",
    year=2020,
    venue="arXiv:2002.07399",
)

GAMMA = symbol("local_step_size")

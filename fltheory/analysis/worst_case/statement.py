"""What a checked certificate proves, in words that come from its case and never from its text."""

from fltheory.analysis.worst_case.case import Case
from fltheory.core.words import counted

NAMES = {
    "distance_squared": "|x_0 - x*|^2",
    "loss_gap": "f(x_0) - f*",
    "heterogeneity": "mean |grad f_i(x*)|^2",
    "gradient_bound_squared": "|grad f_i|^2",
    "dissimilarity_squared": "|grad f_i - grad f|^2",
    "mean_dissimilarity_squared": "mean |grad f_i - grad f|^2",
    "gradient_noise_squared": "E|noise of a gradient|^2",
}
"""Each condition as a formula."""


def sentence(case: Case) -> str:
    """What the worst case of a case is about: metric, method, trace, functions and conditions.

    >>> from fltheory.analysis.worst_case.function_classes import FunctionClass
    >>> from fltheory.analysis.worst_case.question import Conditions, Question
    >>> from fltheory.traces.trace import Trace
    >>> question = Question(FunctionClass(1), Conditions(distance_squared=2))
    >>> print(sentence(Case("fedavg", Trace.fresh([[1]]), question, "1/2")))
    f - f* at the last model, fedavg, 1 round, 1 client, local step size 1/2, server step size 1; \
convex functions with curvature in [0, 1]; |x_0 - x*|^2 <= 2
    """
    question, sizes = case.question, case.local_step_size
    class_ = question.functions
    size = f"sizes {sizes[0]}, ..." if isinstance(sizes, tuple) else f"size {sizes}"
    known = [
        f"{NAMES[name]} <= {bound}"
        for name, bound in question.conditions.as_text().items()
        if bound is not None
    ]
    parts = (
        f"{question.measured}{' (virtual models)' * question.virtual}",
        case.algorithm,
        counted(case.trace.num_rounds, "round"),
        counted(case.trace.num_clients, "client"),
        f"local step {size}",
        f"server step size {case.server_step_size}",
        *(f"{name} as in the file" for name in sorted(case.settings)),
    )
    kind = "convex" if class_.convex else "smooth"
    return (
        f"{', '.join(parts)}; {kind} functions with curvature in [{class_.lowest_curvature},"
        f" {class_.smoothness}]; {', '.join(known)}"
    )

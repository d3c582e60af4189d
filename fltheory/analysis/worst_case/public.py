"""Ask for the worst case of a method over a class of functions."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from fltheory.analysis.worst_case.case import Case
from fltheory.analysis.worst_case.function_classes import FunctionClass
from fltheory.analysis.worst_case.question import Conditions, Metric, Question
from fltheory.analysis.worst_case.solver_time import quiet
from fltheory.core.checked import check_kind
from fltheory.core.errors import InvalidInput
from fltheory.core.exact import exact
from fltheory.core.extras import require
from fltheory.core.results import Table, as_dict, as_html, as_text, named_values
from fltheory.core.types import ExactLike, Json, StepSize
from fltheory.engine.roles import Algorithm
from fltheory.traces.trace import Trace

if TYPE_CHECKING:
    from fltheory.analysis.worst_case.answer import WorstCase
    from fltheory.analysis.worst_case.picture import WorstCasePicture


@dataclass(frozen=True, repr=False)
class WorstCaseFound:
    """A worst case and what the number is worth.

    `worst_case` is the solver's number, None unless it is accurate. `certified_bound` is proved,
    with its proof in `certificate`; `attained_bound` is attained by functions of the class, found
    as `attained_by` says. `why` tells what happened where a number is missing.
    """

    status: str
    means: str
    worst_case: float | None
    metric: str
    certified_bound: Fraction | None
    attained_bound: Fraction | None
    attained_by: str | None
    why: str
    block_sizes: tuple[int, ...]
    constraints: int
    violation_of_left_out: float
    rounds: int
    clients: int
    certificate: Mapping[str, object] | None
    solution: "WorstCase"
    """What the solver found, in full."""

    def picture(self) -> "WorstCasePicture | None":
        """Numbers for a picture of the worst function, where functions were asked for."""
        from fltheory.analysis.worst_case.picture import picture

        if self.solution.witness is None or self.solution.encoding is None:
            return None
        return picture(self.solution.encoding, self.solution.witness)

    @property
    def enclosure(self) -> tuple[float, float] | None:
        """Both exact ends as decimals."""
        if self.attained_bound is None or self.certified_bound is None:
            return None
        return float(self.attained_bound), float(self.certified_bound)

    def to_dict(self) -> Json:
        """Everything but the certificate."""
        return as_dict(
            {
                "status": self.status,
                "means": self.means,
                "worst_case": self.worst_case,
                "metric": self.metric,
                "certified_bound": self.certified_bound,
                "attained_bound": self.attained_bound,
                "attained_by": self.attained_by,
                "enclosure": self.enclosure,
                "why": self.why,
                "block_sizes": self.block_sizes,
                "constraints": self.constraints,
                "violation_of_left_out": self.violation_of_left_out,
                "rounds": self.rounds,
                "clients": self.clients,
            }
        )

    def tables(self) -> list[Table]:
        return [named_values("worst case", self.to_dict())]

    __repr__ = as_text
    _repr_html_ = as_html


def worst_case(
    algorithm: str | Algorithm,
    trace: Trace,
    *,
    local_step_size: StepSize,
    server_step_size: ExactLike = 1,
    settings: Mapping[str, object] | None = None,
    importance: Sequence[ExactLike] | None = None,
    smoothness: ExactLike = 1,
    strong_convexity: ExactLike = 0,
    convex: bool = True,
    initial_distance: ExactLike | None = None,
    initial_gap: ExactLike | None = None,
    heterogeneity: ExactLike | None = None,
    gradient_bound: ExactLike | None = None,
    dissimilarity: ExactLike | None = None,
    mean_dissimilarity: ExactLike | None = None,
    gradient_noise: ExactLike | None = None,
    metric: Metric = Metric.LOSS,
    weights: Sequence[ExactLike] | None = None,
    virtual: bool = False,
    by_class: bool = True,
    certified: bool = False,
    enclosed: bool = False,
    seconds: float | None = None,
    watch: Callable[[str], None] = quiet,
) -> WorstCaseFound:
    """The largest loss or gradient of a method over all functions of a class, on any number of
    coordinates, by semidefinite programming.

    `algorithm` is a method, or the name of one with what it needs in `settings`. Functions have
    curvatures in [strong_convexity, smoothness], or in [-smoothness, smoothness] if they need not
    be convex. `initial_distance` bounds |x_0 - x*| and `initial_gap` bounds f(x_0) - f*; without
    either, 1 bounds the distance (the gap if functions need not be convex). `weights` are those of
    the models 0..rounds in the metric. With `certified`, an exact proof of an upper bound is looked
    for; with `enclosed`, also exact functions that nearly attain it. After `seconds` of processor
    time the answer is what was found until then, and `why` tells what is missing; `watch` is called
    with a line of text about each step of a solve, and first with its estimated time if it is long.

    >>> from fltheory import Trace
    >>> descent = worst_case("fedavg", Trace.fresh([[1], [1]]), local_step_size=1)
    >>> round(descent.worst_case, 8)  # L / (4 num_rounds + 2)
    0.1
    """
    require("worst-case", "a worst case")
    check_kind("trace", trace, Trace)
    check_kind("metric", metric, Metric)
    check_kind("settings", {} if settings is None else settings, Mapping)
    check_kind("weights", () if weights is None else weights, Sequence)
    from fltheory.analysis.worst_case.answer import worst_case as answer

    distance, gap = initial_distance, initial_gap
    if distance is None and gap is None:
        distance, gap = (1, None) if convex else (None, 1)
    question = Question(
        FunctionClass(smoothness, strong_convexity, convex),
        Conditions(
            distance_squared=_squared(distance, "initial distance"),
            loss_gap=gap if convex or gap is not None else 1,
            heterogeneity=heterogeneity,
            gradient_bound_squared=_squared(gradient_bound, "gradient bound"),
            dissimilarity_squared=_squared(dissimilarity, "dissimilarity"),
            mean_dissimilarity_squared=_squared(mean_dissimilarity, "mean dissimilarity"),
            gradient_noise_squared=_squared(gradient_noise, "gradient noise"),
        ),
        metric,
        weights,
        virtual,
    )
    rounds = range(trace.num_rounds)
    case = Case(
        algorithm,
        trace,
        question,
        tuple(local_step_size(t) for t in rounds) if callable(local_step_size) else local_step_size,
        server_step_size,
        settings or {},
        importance,
        by_class=by_class,
    )
    found = answer(case, certified=certified, enclosed=enclosed, seconds=seconds, watch=watch)
    return WorstCaseFound(
        found.status.name,
        found.status.value,
        found.value,
        question.measured,
        found.bound,
        found.attained,
        None if found.witness is None else found.witness.how,
        found.why,
        found.block_sizes,
        found.num_constraints,
        found.violation,
        trace.num_rounds,
        trace.num_clients,
        found.certificate,
        found,
    )


def _squared(value: ExactLike | None, owner: str) -> Fraction | None:
    if value is None:
        return None
    number = exact(value, owner)
    if number < 0:
        raise InvalidInput(owner, "be at least 0", number)
    return number**2

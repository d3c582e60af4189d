"""Ask for the worst case of a method over a class of functions, and check the proof of one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from fltheory.analysis.inequalities import inequality
from fltheory.analysis.inequalities.checker import check
from fltheory.analysis.worst_case.case import Case
from fltheory.analysis.worst_case.function_classes import FunctionClass
from fltheory.analysis.worst_case.proof import FORMAT, verify
from fltheory.analysis.worst_case.question import Conditions, Metric, Question
from fltheory.core.errors import InvalidInput
from fltheory.core.exact import exact
from fltheory.core.extras import require
from fltheory.core.results import Table, as_dict, as_html, as_text, named_values
from fltheory.core.types import ExactLike, Json, StepSize
from fltheory.core.untrusted_io import bounded_json
from fltheory.engine.roles import Algorithm
from fltheory.traces.trace import Trace

if TYPE_CHECKING:
    from fltheory.analysis.worst_case.answer import WorstCase
    from fltheory.analysis.worst_case.picture import WorstCasePicture

MAX_BYTES = 1 << 24
"""Largest certificate file."""


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
) -> WorstCaseFound:
    """The largest loss or gradient of a method over all functions of a class, on any number of
    coordinates, by semidefinite programming.

    `algorithm` is a method, or the name of one with what it needs in `settings`. Functions have
    curvatures in [strong_convexity, smoothness], or in [-smoothness, smoothness] if they need not
    be convex. `initial_distance` bounds |x_0 - x*| and `initial_gap` bounds f(x_0) - f*; without
    either, 1 bounds the distance (the gap if functions need not be convex). `weights` are those of
    the models 0..rounds in the metric. With `certified`, an exact proof of an upper bound is looked
    for; with `enclosed`, also exact functions that nearly attain it.

    >>> from fltheory import Trace
    >>> descent = worst_case("fedavg", Trace.fresh([[1], [1]]), local_step_size=1)
    >>> round(descent.worst_case, 8)  # L / (4 num_rounds + 2)
    0.1
    """
    require("worst-case", "a worst case")
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
    found = answer(case, certified=certified, enclosed=enclosed)
    return WorstCaseFound(
        found.status.name,
        found.status.value,
        found.value,
        question.metric.value,
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


@dataclass(frozen=True, repr=False)
class CertificateChecked:
    """Whether a certificate proves what it says: the bound on a worst case, or the factor on the
    right side of an inequality."""

    proved: bool
    kind: str
    says: str | None
    value: Fraction | None
    why: str = ""

    def to_dict(self) -> Json:
        if not self.proved:
            return {"proved": False, self.kind: None, "why": self.why}
        about = None if self.value is None else float(self.value)
        return as_dict({"proved": True, "says": self.says, self.kind: self.value, "about": about})

    def tables(self) -> list[Table]:
        return [named_values("certificate", self.to_dict())]

    __repr__ = as_text
    _repr_html_ = as_html


def check_certificate(file: str | Path) -> CertificateChecked:
    """Check a certificate in exact arithmetic, and that its method gives what it speaks of; no
    solver is needed.

    >>> from fltheory.claims.record import house_folder
    >>> file = sorted((house_folder() / "certificates").glob("*.json"))[0]
    >>> check_certificate(file).proved
    True
    """
    path = Path(file)
    data = bounded_json(path, MAX_BYTES, path.name)
    form = data.get("format") if isinstance(data, dict) else None
    if not isinstance(data, dict) or form not in (FORMAT, inequality.FORMAT):
        raise InvalidInput(path.name, f"be a file of the format {FORMAT!r}", "another one")
    kind = "bound" if form == FORMAT else "factor"
    says = data.get("says")
    try:
        value = verify(data) if form == FORMAT else check(data)
    except InvalidInput as reason:
        return CertificateChecked(False, kind, None, None, str(reason))
    return CertificateChecked(True, kind, None if says is None else str(says), value)

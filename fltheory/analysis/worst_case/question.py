"""The question of a worst case: a class of functions, conditions on them, and a metric."""

from enum import Enum
from fractions import Fraction

from fltheory.analysis.worst_case.function_classes import FunctionClass
from fltheory.core.checked import Checked, default, frozen
from fltheory.core.errors import InvalidInput
from fltheory.core.exact import exact
from fltheory.core.types import ExactLike, Json, Vector

Bound = Checked[ExactLike | None, Fraction | None]
"""An upper bound; None means that none is assumed."""


class Metric(Enum):
    """What is maximised; the value is the sentence that the reader sees."""

    LOSS = "f - f* at a weighted average of the models"
    MEAN_LOSS = "weighted mean of f - f* over the models"
    MEAN_SQUARED_GRADIENT = "weighted mean of |grad f|^2 over the models"
    MIN_SQUARED_GRADIENT = "smallest |grad f|^2 over the models"


UNWEIGHTED = {
    Metric.LOSS: "f - f* at the last model",
    Metric.MEAN_LOSS: "f - f* at the last model",
    Metric.MEAN_SQUARED_GRADIENT: "mean of |grad f|^2 over the models but the last",
}
"""The same where no weights are given."""


@frozen
class Conditions:
    """Bounds at the start and on the clients; a bound that is None is not assumed.

    - `distance_squared` bounds |x_0 - x*|^2.
    - `loss_gap` bounds f(x_0) - f*.
    - `heterogeneity` bounds the mean of |grad f_i(x*)|^2 over clients.
    - `gradient_bound_squared` bounds each |grad f_i|^2 at every point where it is evaluated.
    - `dissimilarity_squared` bounds each |grad f_i - grad f|^2 (AFL's Assumption 3, sigma_G^2), and
      `mean_dissimilarity_squared` its mean over clients, at the models before each round and at the
      points of the metric.
    - `gradient_noise_squared` bounds E|noise|^2 of each stochastic gradient, whose draws are
      independent and have mean zero given their point. Then inner products and values are
      expectations, and the result bounds the expected metric. Draws are uncorrelated with
      everything that they do not influence; other properties of distributions are not used, so the
      bound may not be attained.

    The papers bound gradients and dissimilarities at every point. Here they are bounded at the
    points above only, which gives an upper bound that may not be attained.
    """

    distance_squared: Bound = default(None)
    loss_gap: Bound = default(None)
    heterogeneity: Bound = default(None)
    gradient_bound_squared: Bound = default(None)
    dissimilarity_squared: Bound = default(None)
    mean_dissimilarity_squared: Bound = default(None)
    gradient_noise_squared: Bound = default(None)

    def __post_init__(self) -> None:
        for name in self.__dataclass_fields__:
            value = getattr(self, name)
            if value is not None:
                number = exact(value, name.replace("_", " "))
                if number < 0:
                    raise InvalidInput(name.replace("_", " "), "be at least 0", number)
                object.__setattr__(self, name, number)
        if self.distance_squared is None and self.loss_gap is None:
            raise InvalidInput(
                "conditions", "bound the distance or the loss gap at the start", "neither"
            )

    @property
    def bound_dissimilarity(self) -> bool:
        """Whether some dissimilarity is bounded."""
        return self.dissimilarity_squared is not None or self.mean_dissimilarity_squared is not None

    def as_text(self) -> Json:
        """Bounds by name, for files; conditions that the first format did not have appear only if
        they are given."""
        given = {name: None if value is None else str(value) for name, value in vars(self).items()}
        return {
            name: text
            for name, text in given.items()
            if text is not None or name not in ADDED_LATER
        }


ADDED_LATER = ("dissimilarity_squared", "mean_dissimilarity_squared", "gradient_noise_squared")
"""Conditions that the first format of files did not have."""


@frozen
class Question:
    """A class of functions, conditions and a metric with `weights` over the models 0..num_rounds,
    which are normalised to sum 1.

    By default, a loss is that of the last model, and squared gradients are averaged over all models
    but the last. With `virtual`, the models are the virtual ones (Fraboni's theta^{n,k}, FedLaAvg's
    Algorithm 3): the model of round t after k of K local steps has the index t K + k, so there are
    num_rounds K + 1 of them.
    """

    functions: FunctionClass
    conditions: Conditions
    metric: Metric = Metric.LOSS
    weights: Vector | None = None
    virtual: bool = False

    def __post_init__(self) -> None:
        if not self.functions.convex:
            if self.metric in (Metric.LOSS, Metric.MEAN_LOSS):
                raise InvalidInput(
                    "metric",
                    "be a squared gradient if functions need not be convex",
                    self.metric.name,
                )
            if self.conditions.loss_gap is None:
                raise InvalidInput(
                    "conditions",
                    "bound the loss gap at the start if functions need not be convex",
                    "none",
                )
            for name in ("distance_squared", "heterogeneity"):
                value = getattr(self.conditions, name)
                if value is not None:
                    raise InvalidInput(
                        name.replace("_", " "),
                        "be left out if there need not be an optimum",
                        value,
                    )

        if self.virtual and self.conditions.gradient_noise_squared:
            raise InvalidInput(
                "gradient noise",
                "be left out with virtual models",
                self.conditions.gradient_noise_squared,
            )

    @property
    def measured(self) -> str:
        """What is maximised, in words: without weights, a loss is that of the last model.

        >>> Question(FunctionClass(1), Conditions(distance_squared=1)).measured
        'f - f* at the last model'
        """
        if self.weights is not None:
            return self.metric.value
        return UNWEIGHTED.get(self.metric, self.metric.value)

    def model_weights(self, num_moves: int) -> tuple[Fraction, ...]:
        """Weights of the models 0..num_moves, with sum 1."""
        if self.weights is None:
            if self.metric in (Metric.LOSS, Metric.MEAN_LOSS):
                return (Fraction(0),) * num_moves + (Fraction(1),)
            return (Fraction(1, num_moves),) * num_moves + (Fraction(0),)
        given = tuple(exact(w, f"weight of model {t}") for t, w in enumerate(self.weights))
        if len(given) != num_moves + 1:
            raise InvalidInput(
                "weights of the models", f"be one for each of {num_moves + 1} models", len(given)
            )
        if min(given) < 0 or sum(given) == 0:
            raise InvalidInput(
                "weights of the models", "be at least 0 and not all 0", [str(w) for w in given][:6]
            )
        return tuple(w / sum(given) for w in given)

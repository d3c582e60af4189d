"""Which model answers a question."""

from fltheory.analysis.potentials.arrivals import arrivals_model
from fltheory.analysis.potentials.box import box_model
from fltheory.analysis.potentials.generic_client import DoesNotFit
from fltheory.analysis.potentials.history import history_model, looks_back
from fltheory.analysis.potentials.language import (
    Delays,
    Periodic,
    Staleness,
    Turns,
    Windows,
    WithMemory,
)
from fltheory.analysis.potentials.late import late_model
from fltheory.analysis.potentials.memory import distance_model
from fltheory.analysis.potentials.model import Model
from fltheory.analysis.potentials.nonconvex import gradient_model
from fltheory.analysis.potentials.question import ForeverQuestion, Target
from fltheory.analysis.potentials.turns import turns_model
from fltheory.analysis.potentials.weighted import is_weighted, weighted_model


def model_of(question: ForeverQuestion, *, rich: bool = False) -> Model:
    """The model of a question, with the method's own code run again."""
    language = question.language
    if question.all_steps is not None:
        if not isinstance(language, Staleness) or question.target is not Target.DISTANCE:
            raise DoesNotFit("all step sizes at once are for a staleness and the distance")
        return box_model(question, language, question.all_steps)
    if is_weighted(question.method):
        if question.target is not Target.DISTANCE:
            raise DoesNotFit("fixed weights have a potential of the distance only")
        return weighted_model(question, language)
    if isinstance(language, WithMemory) and question.target is Target.DISTANCE:
        if rich and isinstance(language, Windows | Periodic) and looks_back(question):
            return history_model(question, language)
        return distance_model(question, language, rich=rich)
    if isinstance(language, Staleness):
        return gradient_model(question, language)
    if isinstance(language, Delays):
        if question.target is Target.GRADIENT:
            return arrivals_model(question, language, None)
        return late_model(question, language, rich=rich)
    if isinstance(language, Turns) and question.target is Target.DISTANCE:
        return turns_model(question, language)
    raise DoesNotFit(
        f"for the language {language.kind} there is no potential of the {question.target.value} yet"
    )

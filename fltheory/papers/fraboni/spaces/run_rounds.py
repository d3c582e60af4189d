"""Where the lemmas of Appendix A may fail: rounds and local steps of exact runs with drawn clients,
weights, participation, steps and noise."""

from dataclasses import replace

from fltheory.claims.checks.instances import Instance
from fltheory.claims.claim import Claim
from fltheory.claims.spaces.choices import Choices
from fltheory.claims.spaces.scoring import worst
from fltheory.papers.fraboni.checks.appendix_steps import (
    first_step,
    rough_step,
    steps,
    with_symbols,
)
from fltheory.papers.fraboni.checks.quantities import Quantities
from fltheory.papers.fraboni.checks.rough import Law, rough_values
from fltheory.papers.fraboni.checks.runs import round_values
from fltheory.papers.fraboni.checks.whole_runs import delivered
from fltheory.papers.fraboni.spaces.conditions import restated
from fltheory.papers.fraboni.spaces.drawing import F, lemma_step, setting
from fltheory.papers.fraboni.spaces.named import space_of


def _rounds(choices: Choices, claim: Claim) -> Instance:
    """One filled round of a short run; chances may remember the past where the paper does not
    exclude it."""
    name = claim.id.removeprefix("fraboni.")
    drawn = setting(
        choices, chance=True, memory=not claim.source.ours and name != "lem2.local_steps", far=20
    )
    if name == "lem3.q":
        drawn = replace(drawn, local_steps=1)
    q = Quantities(lemma_step(choices, drawn, free=name.startswith(("lem2", "eq22"))))
    if name == "lem3.virtual":
        choices.require(q.max_staleness == 0, "there is no delay")
    n = choices.choice(q.filled)
    return Instance(
        round_values.__wrapped__(q, n),
        f"{q.setting.says}, {q.setting.local_steps} local steps, round {n}",
    )


def _law(choices: Choices) -> Law:
    """Batches of one client: steep with a small chance, flat otherwise; the mean curvature is 1."""
    steep = choices.choice((1, 2, 10, 100, 1000))
    return ((F(1, steep), steep), (1 - F(1, steep), 0))


def _rough(choices: Choices, claim: Claim) -> Instance:
    """One client whose single batches are rougher than its mean loss, which no printed condition
    excludes; exact second moments."""
    num_rounds, law = choices.whole(1, 100), _law(choices)
    values = rough_values(num_rounds, law)
    return Instance(
        values
        | {
            "mean_objective_gap": values["mean_round_gap"],
            "mean_loss_gap": values["mean_round_gap"],
            "gradient_bound": F(law[0][1]) ** (num_rounds + 1),
        },
        f"batches of curvature {law[0][1]} or 0, {num_rounds} rounds",
    )


def _rough_step(choices: Choices, claim: Claim) -> Instance:
    """A local step of a client with rough batches."""
    return rough_step(_law(choices))


def _steps(choices: Choices, claim: Claim) -> Instance:
    """Every local step of a run with certain participation: the one that comes closest to
    contradicting the claim."""
    drawn = setting(choices, chance=False, far=6, most_rounds=3)
    q = Quantities(lemma_step(choices, drawn, free=True))
    return worst(claim, with_symbols(claim, steps([q])))


def _first_step(choices: Choices, claim: Claim) -> Instance:
    """The first local step of a run, over all participants."""
    drawn = setting(choices, chance=True, most_rounds=1, filled=True)
    return first_step(Quantities(lemma_step(choices, drawn, free=True)))


def _moves(choices: Choices, claim: Claim) -> Instance:
    """Moves of the model and the deliveries that make them: the round that comes closest to
    contradicting the claim."""
    drawn = setting(choices, chance=True, most_rounds=3)
    return worst(claim, delivered(Quantities(lemma_step(choices, drawn, free=True))))


RUN = "num_clients num_rounds local_steps max_staleness smoothness server_step_size local_step_size"

SPACES = restated(
    (
        space_of(
            "rounds",
            "Rounds of short exact runs: certain, on clocks, sampled, or with chances that"
            " remember.",
            _rounds,
            "lem2 lem2.local_steps lem2.corrected lem3 lem3.q lem3.virtual lem3.corrected"
            " lem3.gradients lem3.gradients.corrected lem4 lem4.corrected lem5 lem5.corrected eq22"
            " eq22.corrected eq28 eq28.corrected",
            more=RUN,
        ),
        space_of(
            "rough",
            "One client whose batches are rougher than its mean loss.",
            _rough,
            "lem3 lem3.gradients lem5 lem6 eq22 eq28 thm1 thm3",
        ),
        space_of(
            "rough-steps",
            "A local step of a client with rough batches.",
            _rough_step,
            "eq25 eq26",
        ),
        space_of(
            "steps",
            "Local steps of exact runs with certain participation.",
            _steps,
            "eq19 eq19.corrected eq20 eq20.corrected eq21 eq24 eq25 eq25.corrected eq26"
            " eq26.corrected eq27",
            more=RUN,
        ),
        space_of(
            "first-steps",
            "First local steps over all participants.",
            _first_step,
            "eq18 lem2.display lem2.display.corrected",
        ),
        space_of(
            "moves",
            "Moves of the model and the deliveries that make them.",
            _moves,
            "def.aux",
        ),
    )
)

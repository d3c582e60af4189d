"""Implementations with one error each, of the kind that occurs in code."""

from fractions import Fraction
from typing import Any

from tests.conformance.right import Controlled as ControlledClients
from tests.conformance.right import FedAvg, FedLaAvg, Mifa, Server, Weighted, averaging


class MemoryNotKept(Server):
    """Forgets the updates of absent clients."""

    def serve(self, round: Any) -> None:
        for work in round.arrivals:
            move = round.local_step_size * work.delivery()
            self.model = self.model - move / self.setup.num_clients


class StaleStart(Mifa):
    """Clients start from the model before the newest one."""

    def prepare(self) -> None:
        self.before = self.model

    def serve(self, round: Any) -> None:
        newest = self.model
        for work in round.arrivals:
            self.kept[work.client.index] = work.delivery(self.before)
        self.model = newest - round.local_step_size * sum(self.kept) / len(self.kept)
        self.before = newest


class OldestStart(FedAvg):
    """Clients always start from the first model."""

    def prepare(self) -> None:
        self.first = self.model

    def trained(self, work: Any) -> Any:
        return work.model + work.trained(self.first) - self.first


class WrongDivisor(Mifa):
    """Divides by the number of arrivals instead of the number of clients."""

    def serve(self, round: Any) -> None:
        for work in round.arrivals:
            self.kept[work.client.index] = work.delivery()
        count = max(len(round.arrivals), 1)
        self.model = self.model - round.local_step_size * sum(self.kept) / count


class DividesByEverybody(FedAvg):
    """FedAvg over all clients, present or not."""

    def serve(self, round: Any) -> None:
        moves = [work.trained() - work.model for work in round.arrivals]
        mean = sum(moves, self.zero) / self.setup.num_clients
        self.model = self.model + round.server_step_size * mean


class MemoryFromGradients(Mifa):
    """Fills the memory with gradients at the first model instead of zeros."""

    def prepare(self) -> None:
        self.kept = [client.gradient(self.model) for client in self.setup.clients]


class UpdatesTheAbsent(Mifa):
    """Computes updates of clients that are not there."""

    def serve(self, round: Any) -> None:
        steps = {work.client.index: work.local_steps for work in round.arrivals}
        for client in self.setup.clients:
            local, added = self.model, self.zero
            for _ in range(steps.get(client.index, 1)):
                gradient = client.gradient(local)
                local, added = local - round.local_step_size * gradient, added + gradient
            self.kept[client.index] = added
        self.model = self.model - round.local_step_size * sum(self.kept) / len(self.kept)


class CurrentStepSize(FedLaAvg):
    """Scales remembered updates by the step size of this round, as MIFA does."""

    def serve(self, round: Any) -> None:
        for work in round.arrivals:
            self.kept[work.client.index] = work.delivery()
        self.model = self.model - round.local_step_size * sum(self.kept) / len(self.kept)


class PreviousStepSize(Mifa):
    """Uses the step size of the round before."""

    def prepare(self) -> None:
        self.size: Any = None

    def serve(self, round: Any) -> None:
        size = round.local_step_size if self.size is None else self.size
        for work in round.arrivals:
            self.kept[work.client.index] = work.delivery()
        self.model = self.model - size * sum(self.kept) / len(self.kept)
        self.size = round.local_step_size


class IgnoresImportance(Weighted):
    """Gives all clients the same weight."""

    def weight(self, work: Any) -> Any:
        return Fraction(1, self.setup.num_clients)


class NormalisesWeights(Weighted):
    """Divides the weights of those that are there by their sum."""

    def serve(self, round: Any) -> None:
        present = sum(self.weight(work) for work in round.arrivals)
        before = self.model
        for work in round.arrivals:
            move = (work.trained() - work.model) / present
            before = before + round.server_step_size * self.weight(work) * move
        self.model = before


class OneGradient(Mifa):
    """Takes one local step, however many there should be."""

    def serve(self, round: Any) -> None:
        for work in round.arrivals:
            self.kept[work.client.index] = work.gradient(work.model)
        self.model = self.model - round.local_step_size * sum(self.kept) / len(self.kept)


class NotDividedBySteps(Server):
    """AFA-CD that adds local steps up instead of averaging them."""

    def serve(self, round: Any) -> None:
        if round.arrivals:
            mean = sum(work.delivery() for work in round.arrivals) / len(round.arrivals)
            self.model = self.model - round.server_step_size * round.local_step_size * mean


class NewestModel(Weighted):
    """Late work is done at the newest model instead of the one that the client received."""

    def serve(self, round: Any) -> None:
        newest = self.model
        for work in round.arrivals:
            move = work.trained(newest) - newest
            self.model = self.model + round.server_step_size * self.weight(work) * move


class NoServerStep(FedAvg):
    """Ignores the step size of the server."""

    def serve(self, round: Any) -> None:
        if round.arrivals:
            self.model = sum(work.trained() for work in round.arrivals) / len(round.arrivals)


class DividesByZero(FedAvg):
    """Averages nothing in an empty round."""

    def serve(self, round: Any) -> None:
        moves = [work.trained() - work.model for work in round.arrivals]
        self.model = self.model + round.server_step_size * sum(moves, self.zero) / len(moves)


class ControlsOfEverybody(ControlledClients):
    """SCAFFOLD whose server control is divided by the arrivals."""

    def work(self, round: Any) -> dict[int, Any]:
        before = self.control
        found = super().work(round)
        share = self.setup.num_clients
        self.control = before + (self.control - before) * share / max(len(found), 1)
        return found


WRONG = (
    ("mifa", MemoryNotKept),
    ("mifa", StaleStart),
    ("fedavg", OldestStart),
    ("mifa", WrongDivisor),
    ("fedavg", DividesByEverybody),
    ("mifa", MemoryFromGradients),
    ("mifa", UpdatesTheAbsent),
    ("fedlaavg", CurrentStepSize),
    ("mifa", PreviousStepSize),
    ("sync", IgnoresImportance),
    ("sync", NormalisesWeights),
    ("mifa", OneGradient),
    ("afa-cd", NotDividedBySteps),
    ("async", NewestModel),
    ("fedavg", NoServerStep),
    ("fedavg", DividesByZero),
    ("scaffold", averaging(ControlsOfEverybody)),
)
"""The method and an implementation that gets it wrong."""

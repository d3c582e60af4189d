"""Every method written again as a server of one's own, from its box: none of it uses the package's
algorithms."""

from collections.abc import Callable
from typing import Any

Arrivals = Any


class Server:
    """A model, and what its method needs; `serve` is the round."""

    def __init__(self, model: Any, setup: Any) -> None:
        self.model, self.setup = model, setup
        self.zero = 0 * model
        self.kept = [self.zero for _ in range(setup.num_clients)]
        self.prepare()

    def prepare(self) -> None: ...

    def serve(self, round: Any) -> None:
        raise AssertionError

    def __call__(self, round: Any) -> Any:
        self.serve(round)
        return self.model


class FedAvg(Server):
    def serve(self, round: Any) -> None:
        if round.arrivals:
            moves = [self.trained(work) - work.model for work in round.arrivals]
            mean = sum(moves) / len(moves)
            self.model = self.model + round.server_step_size * mean

    def trained(self, work: Any) -> Any:
        return work.trained()


class FedSgd(FedAvg):
    def trained(self, work: Any) -> Any:
        return work.model - work.step_size * work.gradient(work.model)


class SequentialSgd(Server):
    def serve(self, round: Any) -> None:
        local = self.model
        for _ in range(max((work.local_steps for work in round.arrivals), default=0)):
            pooled = sum(
                client.importance * client.gradient(local) for client in self.setup.clients
            )
            local = local - round.local_step_size * pooled
        self.model = self.model + round.server_step_size * (local - self.model)


class Mifa(Server):
    def serve(self, round: Any) -> None:
        for work in round.arrivals:
            self.kept[work.client.index] = work.delivery()
        self.model = self.model - round.local_step_size * sum(self.kept) / len(self.kept)


class MifaDifference(Server):
    def prepare(self) -> None:
        self.mean = self.zero

    def serve(self, round: Any) -> None:
        for work in round.arrivals:
            new = work.delivery()
            self.mean = self.mean + (new - self.kept[work.client.index]) / self.setup.num_clients
            self.kept[work.client.index] = new
        self.model = self.model - round.local_step_size * self.mean


class FedLaAvg(Server):
    def serve(self, round: Any) -> None:
        for work in round.arrivals:
            self.kept[work.client.index] = work.trained() - work.model
        self.model = self.model + sum(self.kept) / len(self.kept)


class Controlled(Server):
    """The clients' side of SCAFFOLD."""

    def prepare(self) -> None:
        self.control = self.zero
        self.sent: list[Any] = []
        self.controls = [self.zero for _ in range(self.setup.num_clients)]

    def work(self, round: Any) -> dict[int, Any]:
        """Deliveries by client; the controls change with them."""
        self.sent.append(self.control)
        found, renewed = {}, {}
        for work in round.arrivals:
            received, own = self.sent[work.started_from], self.controls[work.client.index]
            local, added = work.model, self.zero
            for _ in range(work.local_steps):
                direction = work.gradient(local) - own + received
                local, added = local - work.step_size * direction, added + direction
            found[work.client.index] = (work, added)
            renewed[work.client.index] = own - received + added / work.local_steps
        for i, control in renewed.items():
            self.control = self.control + (control - self.controls[i]) / self.setup.num_clients
            self.controls[i] = control
        return found


class Proximal(Server):
    """The clients' side of FedProx."""

    def work(self, round: Any) -> dict[int, Any]:
        strength, found = self.setup.settings["proximal_strength"], {}
        for work in round.arrivals:
            local, added = work.model, self.zero
            for _ in range(work.local_steps):
                direction = work.gradient(local) + strength * (local - work.model)
                local, added = local - work.step_size * direction, added + direction
            found[work.client.index] = (work, added)
        return found


class Plain(Server):
    """The clients' side of local SGD."""

    def work(self, round: Any) -> dict[int, Any]:
        return {work.client.index: (work, work.delivery()) for work in round.arrivals}


def averaging(clients: type[Any]) -> type[Server]:
    """FedAvg's server over some clients' side."""

    class Averaging(clients):
        model: Any

        def serve(self, round: Any) -> None:
            found = self.work(round).values()
            if found:
                mean = sum(work.step_size * added for work, added in found) / len(found)
                self.model = self.model - round.server_step_size * mean

    return Averaging


def arrivals_only(clients: type[Any]) -> type[Server]:
    """AFA-CD's server."""

    class CrossDevice(clients):
        model: Any

        def serve(self, round: Any) -> None:
            found = self.work(round).values()
            if found:
                mean = sum(added / work.local_steps for work, added in found) / len(found)
                size = round.server_step_size * round.local_step_size
                self.model = self.model - size * mean

    return CrossDevice


def with_memory(clients: type[Any]) -> type[Server]:
    """AFA-CS's server."""

    class CrossSilo(clients):
        model: Any

        def serve(self, round: Any) -> None:
            for i, (work, added) in self.work(round).items():
                self.kept[i] = added / work.local_steps
            size = round.server_step_size * round.local_step_size
            self.model = self.model - size * sum(self.kept) / len(self.kept)

    return CrossSilo


class Weighted(Server):
    def weight(self, work: Any) -> Any:
        return self.setup.settings["weights"][work.client.index]

    def serve(self, round: Any) -> None:
        for work in round.arrivals:
            move = work.trained() - work.model
            self.model = self.model + round.server_step_size * self.weight(work) * move


class ImportanceSampling(Weighted):
    def weight(self, work: Any) -> Any:
        return 1 / self.setup.settings["probabilities"][work.client.index] / self.setup.num_clients


class PartialWork(Weighted):
    def weight(self, work: Any) -> Any:
        return work.client.importance * self.setup.settings["full_local_steps"] / work.local_steps


RIGHT: dict[str, Callable[..., Any]] = {
    "fedavg": FedAvg,
    "fedsgd": FedSgd,
    "sequential-sgd": SequentialSgd,
    "mifa": Mifa,
    "mifa-difference": MifaDifference,
    "fedlaavg": FedLaAvg,
    "scaffold": averaging(Controlled),
    "fedprox": averaging(Proximal),
    "afa-cd": arrivals_only(Plain),
    "afa-cs": with_memory(Plain),
    "afa-cd-fedprox": arrivals_only(Proximal),
    "afa-cs-fedprox": with_memory(Proximal),
    "afa-cd-scaffold": arrivals_only(Controlled),
    "afa-cs-scaffold": with_memory(Controlled),
    "sync": Weighted,
    "async": Weighted,
    "fedfix": Weighted,
    "fedbuff": Weighted,
    "importance-sampling": ImportanceSampling,
    "partial-work": PartialWork,
}
"""Right implementations by the name of the method."""

"""SCAFFOLD (Karimireddy et al. 2020, Algorithm 1, option II): local steps corrected by control
variates."""

from fltheory.algorithms.fedavg import FedAvg
from fltheory.core.registry import Member
from fltheory.engine.arithmetic import Rows, mean
from fltheory.engine.rounds import Round
from fltheory.engine.workers import Memory, Pulled, Step, Worker


def corrected(step: Step) -> Rows:
    """Line 10: g_i - c_i + c, where c was received with the model."""
    controls, _ = step.memory
    (server_control,) = step.pulled.extras
    return step.gradients - controls + server_control


def zero_controls(zeros: Rows) -> Memory:
    """c_i = 0 for each client, and c = 0."""
    return zeros, mean(zeros)


def send_server_control(memory: Memory) -> tuple[Rows, ...]:
    """Line 4: c is sent with the model."""
    return (memory[1],)


def new_controls(memory: Memory, deliveries: Rows, pulled: Pulled, round: Round) -> Memory:
    """Line 12: c_i+ = c_i - c + delivery/K, the mean of the local gradients; line 17: c += (1/N)
    sum_{i delivers} (c_i+ - c_i)."""
    controls, server_control = memory
    (received,) = pulled.extras
    renewed = round.choose(controls - received + round.per_step * deliveries, controls)
    return renewed, server_control + mean(renewed - controls)


CONTROLLED = Worker(
    direction=corrected, start=zero_controls, sends=send_server_control, finish=new_controls
)

MEMBERS = (
    Member(
        "scaffold",
        "SCAFFOLD: FedAvg with control variates against client drift",
        lambda settings: FedAvg(worker=CONTROLLED),
    ),
)

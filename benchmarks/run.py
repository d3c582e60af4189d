"""All contenders in one run, one CPU each in turn, alternating: medians and ratios, as JSON and as
a table.

python benchmarks/run.py [--data FOLDER_OF_MNIST] [--repeats 5] [--only KIND]
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from data import CLASSES, FEATURES, SAMPLES, write_clients

HERE = Path(__file__).parent
ONE_THREAD = {
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "NUMBA_NUM_THREADS": "1",
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false",
    "JAX_PLATFORMS": "cpu",
    "PYTHONHASHSEED": "0",
}
EPOCHS = 2
TEXTBOOK = EPOCHS * 2 * 2 * SAMPLES * FEATURES * CLASSES
"""Operations of a client update as usually counted: two products of minibatch and weights in each
step."""
EXECUTED = 2 * CLASSES * (2 * SAMPLES * FEATURES + SAMPLES * (EPOCHS * SAMPLES - SAMPLES % 100))
"""Operations that our form takes: logits and delivery once, and Gram rows for every minibatch but
the last."""


class Contender(NamedTuple):
    """A script in the environment of its library; `unit` is what it counts."""

    name: str
    environment: str
    script: str
    arguments: tuple[str, ...] = ()
    unit: str = "client updates"


CONTENDERS = {
    "logistic": (
        Contender("fltheory MIFA, 16 seeds", "", "ours_logistic.py", ("mifa", "16")),
        Contender("fltheory FedAvg, 16 seeds", "", "ours_logistic.py", ("fedavg", "16")),
        Contender("fltheory MIFA, 1 seed", "", "ours_logistic.py", ("mifa", "1")),
        Contender("fltheory MIFA, plain loop", "", "ours_loop.py"),
        Contender("FedJAX 0.0.17 FedAvg", "fedjax", "fedjax_logistic.py"),
        Contender("pfl 0.6.0 FedAvg", "pfl", "pfl_logistic.py"),
        Contender("FLGo 0.4.4 MIFA", "flgo", "flgo_logistic.py"),
        Contender("float32 matrix product", "", "machine.py", ("gemm",), "operations"),
    ),
    "seeds": (
        Contender("1 seed: fltheory MIFA", "", "ours_logistic.py", ("mifa", "1")),
        Contender("1 seed: JAX by hand, lax.map", "fedjax", "jax_softmax.py", ("1",)),
        Contender("1 seed: FedJAX 0.0.17 FedAvg", "fedjax", "fedjax_logistic.py"),
        Contender("16 seeds: fltheory MIFA", "", "ours_logistic.py", ("mifa", "16")),
        Contender("16 seeds: JAX by hand, lax.map", "fedjax", "jax_softmax.py", ("16",)),
    ),
    "quadratic": (
        Contender("line: fltheory compiled", "", "ours_quadratic.py", ("line",), "rounds"),
        Contender("line: JAX scan", "fedjax", "jax_quadratic.py", ("line",), "rounds"),
        Contender("line: plain torch loop", "", "torch_quadratic.py", ("line",), "rounds"),
        Contender("space: fltheory compiled", "", "ours_quadratic.py", ("space",)),
        Contender("space: fltheory tensors", "", "ours_quadratic.py", ("tensors",)),
        Contender("space: JAX scan, closed form", "fedjax", "jax_quadratic.py", ("space",)),
        Contender("space: plain torch loop", "", "torch_quadratic.py", ("space",)),
        Contender("torch normal numbers", "", "machine.py", ("normals",), "numbers"),
    ),
    "network": tuple(
        Contender(
            f"{clients} clients, batch {batch}, {name}: {who}",
            "",
            "network.py",
            (way, name, str(clients), str(batch)),
            "gradients",
        )
        for name, clients, batch in (
            ("lenet28", 16, 100),
            ("lenet28", 64, 10),
            ("lenet28", 64, 1),
            ("lenet5", 32, 32),
            ("two-convolutions", 16, 10),
            ("lstm", 16, 10),
        )
        for who, way in (("fltheory", "ours"), ("autograd one by one", "plain"))
    ),
}


class Running:
    """A contender that waits for its turn."""

    def __init__(self, contender: Contender, data: str) -> None:
        self.contender = contender
        self.rates: list[float] = []
        python = (
            HERE / ".envs" / contender.environment / "bin" / "python"
            if contender.environment
            else Path(sys.executable)
        )
        self.facts: dict[str, Any] = {}
        self.process: subprocess.Popen[str] | None = None
        if python.exists():
            command = [
                str(python),
                str(HERE / "contenders" / contender.script),
                data,
                *contender.arguments,
            ]
            self.process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                env=os.environ | ONE_THREAD,
            )
            self.facts = self.answer()

    def answer(self) -> dict[str, Any]:
        assert self.process is not None
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            self.process.wait()
            self.process = None
        return json.loads(line) if line else {}

    def measure(self) -> None:
        if self.process and self.process.stdin:
            self.process.stdin.write("go\n")
            self.process.stdin.flush()
            found = self.answer()
            if found.get("units"):
                self.rates.append(found["units"] / found["seconds"])

    def stop(self) -> None:
        if self.process and self.process.stdin:
            self.process.stdin.close()
            self.process.wait()

    def result(self) -> dict[str, Any]:
        why = {} if self.rates else {"absent": "not installed, or it failed here"}
        return {
            "name": self.contender.name,
            "unit": self.contender.unit,
            "per_cpu_second": median(self.rates) if self.rates else None,
            "all": self.rates,
            **{key: value for key, value in self.facts.items() if key != "ready"},
            **why,
        }


def compare(kind: str, data: str, repeats: int) -> list[dict[str, Any]]:
    """Medians of all contenders of one kind, measured in turn."""
    running = [Running(contender, data) for contender in CONTENDERS[kind]]
    for _ in range(repeats):
        for one in running:
            one.measure()
    for one in running:
        one.stop()
    return [one.result() for one in running]


def table(kind: str, results: list[dict[str, Any]], repeats: int, source: str) -> str:
    """A short table in Markdown, with ratios to the first line of the same unit and, for softmax
    regression, shares of the peak."""
    peak = next((r["per_cpu_second"] for r in results if r["unit"] == "operations"), None)
    lines = [
        (
            f"# {kind}: per CPU second on one thread, median of {repeats} alternating runs"
            f" ({platform.machine()}, {source})"
        ),
        "",
        "| contender | rate | spread | ours is faster by |"
        + (" share of GEMM peak, textbook / executed |" if peak else ""),
        "|---|---|---|---|" + ("---|" if peak else ""),
    ]
    first: dict[str, float] = {}
    for result in results:
        rate, group = (
            result["per_cpu_second"],
            result["name"].split(":")[0] if ":" in result["name"] else result["unit"],
        )
        if rate is None:
            lines.append(f"| {result['name']} | {result['absent']} | | |" + (" |" if peak else ""))
            continue
        first.setdefault(group, rate)
        spread = f"{min(result['all']):.3g} to {max(result['all']):.3g}"
        ratio = (
            f"{first[group] / rate:.2f}"
            if result["unit"] in ("client updates", "rounds", "gradients")
            else ""
        )
        line = f"| {result['name']} | {rate:,.4g} {result['unit']} | {spread} | {ratio} |"
        if peak and result["unit"] == "client updates":
            ours = result["name"].startswith("fltheory") and "plain" not in result["name"]
            line += f" {rate * TEXTBOOK / peak:.1%}" + (
                f" / {rate * EXECUTED / peak:.1%} |" if ours else " |"
            )
        lines.append(line + (" |" if peak and result["unit"] != "client updates" else ""))
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--data",
        type=Path,
        help="folder with MNIST's four gz files; without it, synthetic data of the same shape",
    )
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--only", choices=list(CONTENDERS))
    options = parser.parse_args()
    (HERE / "results").mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        data = str(Path(folder) / "clients.npz")
        source = write_clients(Path(data), options.data)
        for kind in [options.only] if options.only else list(CONTENDERS):
            results = compare(kind, data, options.repeats)
            facts = (
                {"textbook_operations": TEXTBOOK, "executed_operations": EXECUTED, "data": source}
                if kind in ("logistic", "seeds")
                else {}
            )
            summary = table(kind, results, options.repeats, source if facts else "random numbers")
            record = {"repeats": options.repeats, **facts, "results": results}
            (HERE / "results" / f"{kind}.json").write_text(json.dumps(record, indent=1) + "\n")
            (HERE / "results" / f"{kind}.md").write_text(summary)
            print(summary)


if __name__ == "__main__":
    main()

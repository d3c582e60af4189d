"""What in the record no check of a verdict would notice: lines that are missing, extra, doubled or
about unknown claims, attacks that contradict their files, theorems that no check reads."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping

from fltheory.claims.checks.kernel import FormalTheorem, kernel_theorems
from fltheory.claims.evidence import Method, Verdict
from fltheory.core.errors import InvalidInput
from fltheory.ledger.attack_record import counterexample_folder, recorded_attacks
from fltheory.ledger.counterexamples import read_file, statement_of
from fltheory.ledger.lines import LedgerLine
from fltheory.ledger.replays import replay
from fltheory.ledger.runner import counterexample_file
from fltheory.papers import all_claims, find_claim, modules, papers


def lines_amiss(
    recorded: Iterable[LedgerLine], checks: Mapping[str, int], claims: Collection[str]
) -> list[str]:
    """One sentence for each recorded line that is doubled or about an unknown claim, and for each
    of these claims that has more or fewer lines than checks.

    >>> lines_amiss([], {"afl.a4": 1}, ["afl.a4"])
    ['afl.a4: the ledger has 0 lines for 1 check']
    """
    lines = list(recorded)
    told = _strangers(lines, "ledger")
    keys = Counter(line.key for line in lines)
    told += [
        f"{key[0]}: the ledger has {count} lines by {Method[key[1]].value}"
        for key, count in sorted(keys.items())
        if count > 1
    ]
    found = Counter(line.evidence.claim for line in lines)
    for claim in sorted(claims):
        have, need = found[claim], checks.get(claim, 0)
        if have != need:
            told.append(
                f"{claim}: the ledger has {have} line{'s' * (have != 1)} for {need}"
                f" check{'s' * (need != 1)}"
            )
    return told


def _strangers(lines: Iterable[LedgerLine], where: str) -> list[str]:
    known = all_claims()
    strangers = {line.evidence.claim for line in lines} - set(known)
    return [
        f"{claim}: the {where} speaks of it, and no paper states it" for claim in sorted(strangers)
    ]


def attacks_amiss(claims: Collection[str], *, replayed: bool) -> list[str]:
    """One sentence for each recorded attack on these claims that its counterexample file does not
    bear out; with `replayed`, each file is replayed."""
    lines = recorded_attacks()
    told = _strangers(lines, "record of attacks")
    keys = Counter(line.evidence.claim for line in lines)
    told += [f"{claim}: {count} recorded attacks" for claim, count in keys.items() if count > 1]
    for line in lines:
        if line.evidence.claim in claims:
            told += _attack_amiss(line, replayed)
    return told


def _attack_amiss(line: LedgerLine, replayed: bool) -> Iterator[str]:
    """What is wrong with one recorded attack."""
    told = line.evidence
    claim = find_claim(told.claim)
    file = counterexample_folder(claim.source.paper) / f"{told.claim}.json"
    if told.method is not Method.ATTACK:
        yield f"{told.claim}: the record of attacks has a line by {told.method.value}"
    if (told.verdict is Verdict.REFUTED) is not file.exists():
        wrong = "no counterexample file" if not file.exists() else f"{told.verdict.name} and a file"
        yield f"{told.claim}: the recorded attack has {wrong}"
        return
    if told.verdict is Verdict.REFUTED:
        yield from _file_amiss(line, file.name, replayed)


def _file_amiss(line: LedgerLine, name: str, replayed: bool) -> Iterator[str]:
    told, claim = line.evidence, find_claim(line.evidence.claim)
    try:
        data = read_file(counterexample_folder(claim.source.paper) / name)
    except InvalidInput as problem:
        yield f"{told.claim}: {problem}"
        return
    if data["claim"] != claim.id or data["statement"] != statement_of(claim):
        yield f"{told.claim}: the file of the recorded attack is about another statement"
    elif replayed:
        try:
            found = replay(data, claim)
        except InvalidInput as problem:
            yield f"{told.claim}: the file of the recorded attack cannot be replayed: {problem}"
            return
        if found.checkable and not found.confirmed:
            yield f"{told.claim}: the file of the recorded attack is not confirmed"


def counterexamples_amiss(verdict_of: Mapping[str, Verdict]) -> list[str]:
    """One sentence for each claim that is refuted without a counterexample file, or has a file
    without being refuted."""
    told = []
    for claim, verdict in sorted(verdict_of.items()):
        there, refuted = counterexample_file(claim).exists(), verdict is Verdict.REFUTED
        if there and not refuted:
            told.append(f"{claim}: {verdict.name}, but a counterexample file is recorded")
    return told


def theorems_amiss() -> list[str]:
    """One sentence for each theorem in the record of the proof assistant that no check reads."""
    read = {
        formal.claim
        for module in modules()
        for formal in vars(module).values()
        if isinstance(formal, FormalTheorem)
    }
    read |= {
        formal.claim
        for module in modules()
        for entry in vars(module).values()
        if isinstance(entry, tuple)
        for formal in entry
        if isinstance(formal, FormalTheorem)
    }
    told = {name for paper in papers().values() for name in kernel_theorems(paper)}
    return [f"{claim}: a recorded theorem that no check reads" for claim in sorted(told - read)]

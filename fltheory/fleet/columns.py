"""Which column of a log is which, guessed from its header or told by `--columns`."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum

from fltheory.core.errors import InvalidInput

SHOWN = 200

SENT = ("sent", "dispatched", "dispatch")
"""Names of the time at which the server sends a model."""

SYNONYMS: dict[str, tuple[str, ...]] = {
    "client": (
        *("client", "client_id", "clientid", "client_name", "cid", "device", "device_id"),
        *("deviceid", "node", "node_id", "partition_id", "user", "user_id", "userid", "phone"),
        *("participant", "worker", "silo", "machine", "device_name", "host", "hostname", "id"),
        *("clients", "client_ids", "cids", "participants", "selected_clients", "gerät", "geraet"),
    ),
    "round": (
        *("round", "server_round", "rnd", "round_number", "round_id", "round_idx", "round_num"),
        *("current_round", "global_round", "comm_round", "communication_round", "fl_round"),
        *("training_round", "rounds", "iteration", "runde", "ronde", "ronda"),
    ),
    "start": (
        *("start", "begin", "from", "begins", "online_from", "available_from", "joined", "beginn"),
        "von",
    ),
    "end": (
        *("end", "stop", "until", "to", "ends", "online_until", "available_until", "finish"),
        *("left", "ende", "bis"),
    ),
    "duration": ("duration", "seconds", "length", "duration_s", "duration_seconds", "dauer"),
    "received": ("received", "assigned", "fetched", "downloaded", "download", *SENT),
    "returned": (
        *("returned", "uploaded", "upload", "arrived", "arrival", "completed", "finished"),
        *("submitted", "reported", "responded", "response"),
    ),
    "active": (
        *("active", "available", "online", "participated", "present", "state", "status"),
        *("delivered", "success", "is_active", "is_online", "is_available", "completed"),
        *("availability", "event", "event_type", "connected", "aktiv", "verfügbar", "anwesend"),
    ),
    "time": (
        *("time", "timestamp", "ts", "datetime", "event_time", "at", "seen", "zeit", "zeitpunkt"),
        "zeitstempel",
    ),
    "importance": (
        *("importance", "num_examples", "examples", "num_samples", "n_examples", "samples"),
        *("n_samples", "data_size", "dataset_size", "train_samples", "num_train_examples"),
    ),
}
"""Names of columns for each role; the first is the usual one. Those of times may also end with one
of MOMENTS (sent_at, upload_time)."""

RARE: dict[str, tuple[str, ...]] = {
    "client": (
        *("edge_id", "edge", "party", "party_id", "collaborator", "collaborator_name", "site"),
        *("site_name", "peer", "pod", "instance", "node_name", "machine_name", "serial_number"),
        "metric_origin",
    ),
    "time": (
        *("last_check_in", "last_checkin", "last_seen", "last_sync", "last_contact"),
        *("last_transition", "last_transition_time", "last_heartbeat_time", "letzter_kontakt"),
    ),
}
"""Names of columns that have a role if no other column has it."""
MOMENTS = ("_at", "_time", "_ts", "_timestamp", "_datetime", "_utc")
NAMES = frozenset(name for table in (SYNONYMS, RARE) for some in table.values() for name in some)
CAPITAL = re.compile(r"(?<=[a-z])(?=[A-Z])")
JOINED = str.maketrans(" .-", "___")
LISTS = ("clients", "client_ids", "cids", "participants", "selected_clients")
"""Names of a column with several clients in each cell."""
LABELS = ("", "index", "level_0", "__index_level_0__", "unnamed:_0", "date", *SYNONYMS["time"])
"""Names of a first column of a wide table that says nothing about a client."""
TIMED = ("start", "end", "received", "returned", "time")
NOT_USED = "-"
"""What is told for a role that no column has."""

INACTIVE = "inactive"


class LogKind(Enum):
    """What a row of a log says; the value is shown to the reader."""

    STRETCHES = "stretches of availability"
    LASTING = "stretches of availability with their lengths"
    DELIVERIES = "deliveries, each a round"
    LONG = "one row per round and client"
    CHANGES = "changes between available and not"
    SIGHTINGS = "moments at which clients were seen"
    WIDE = "one row per round, one column per client"


NEEDED: dict[LogKind, tuple[str, ...]] = {
    LogKind.DELIVERIES: ("client", "received", "returned"),
    LogKind.STRETCHES: ("client", "start", "end"),
    LogKind.LASTING: ("client", "start", "duration"),
    LogKind.LONG: ("client", "round"),
    LogKind.CHANGES: ("client", "time", "active"),
    LogKind.SIGHTINGS: ("client", "time"),
}
"""The roles that make a log of a kind; the first kind whose roles are all there is taken."""

OPTIONAL: dict[LogKind, tuple[str, ...]] = {
    LogKind.DELIVERIES: ("importance",),
    LogKind.STRETCHES: ("importance",),
    LogKind.LASTING: ("importance",),
    LogKind.LONG: ("active", "importance"),
    LogKind.CHANGES: ("importance",),
    LogKind.SIGHTINGS: ("importance",),
}

KINDS = (
    "be round and clients (whose cells must be 0 or 1), or have client,start,end or"
    " client,received,returned or client,round or client,time,active or client,time; other names"
    " are mapped by --columns client=YOURS,round=YOURS"
)


@dataclass(frozen=True)
class LogLayout:
    """The kind of a log, and the place of the column of each role; `other` has roles that are
    guessed but not used."""

    kind: LogKind
    places: Mapping[str, int]
    header: tuple[str, ...]
    other: Mapping[str, int] = field(default_factory=dict)

    @property
    def client_lists(self) -> bool:
        """Whether a cell of the client's column may name several clients."""
        return plain_name(self.header[self.places["client"]]) in LISTS

    @property
    def width(self) -> int:
        return len(self.header)

    @property
    def says(self) -> str:
        """The guess in one sentence.

        >>> layout_of(["server_round", "cid"]).says
        "read as one row per round and client: client = 'cid', round = 'server_round'"
        """
        if self.kind is LogKind.WIDE:
            left = "".join(f", {self.header[at]!r} left out" for at in self._labels)
            return f"read as {self.kind.value}: {len(self.header)} columns{left}"
        named = ", ".join(f"{role} = {self.header[at]!r}" for role, at in self.places.items())
        other = ""
        if self.kind is LogKind.DELIVERIES and "round" in self.other:
            column = self.header[self.other["round"]]
            other = f" (--columns client=..,round={column} reads it as rounds instead)"
        return f"read as {self.kind.value}: {named}{other}"

    @property
    def _labels(self) -> list[int]:
        return [at for role, at in self.places.items() if role == "label"]


def parse_columns(text: str) -> dict[str, str]:
    """Roles and the columns that are given for them.

    >>> parse_columns("client=cid, round=server_round")
    {'client': 'cid', 'round': 'server_round'}
    """
    found: dict[str, str] = {}
    for part in text.split(","):
        role, equals, column = (piece.strip() for piece in part.partition("="))
        if not equals or not column or role not in SYNONYMS or role in found:
            rule = f"be ROLE=COLUMN,... with each role once, of {', '.join(SYNONYMS)}"
            raise InvalidInput("--columns", rule, repr(part.strip()[:60]))
        found[role] = column
    return found


def layout_of(header: Sequence[str], told: Mapping[str, str] | None = None) -> LogLayout:
    """The kind of a log from its header. Roles that are told come first; if they make a kind alone,
    it is that one."""
    names = [name.strip() for name in header]
    plain = {at: name for at, name in enumerate(map(plain_name, names)) if _has_role(name)}
    stems = {at: _stem(name) for at, name in plain.items()}
    unused = [role for role, column in (told or {}).items() if column == NOT_USED]
    given = {
        role: _place(names, role, column)
        for role, column in (told or {}).items()
        if role not in unused
    }
    guessed = {
        role: found
        for role in SYNONYMS
        if role not in unused and (found := _guesses(plain, stems, role, given))
    }
    places = {role: found[0] for role, found in guessed.items()} | given
    _server_side(stems, guessed, places)
    for has in (given, places):
        kind = next((k for k, needed in NEEDED.items() if all(r in has for r in needed)), None)
        if kind is None:
            continue
        if kind in (LogKind.STRETCHES, LogKind.LASTING) and has is places and "round" in places:
            kind = LogKind.LONG  # the times are those of a round
        roles = (*NEEDED[kind], *OPTIONAL[kind])
        for role in roles:
            if role not in given and len(guessed.get(role, ())) > 1:
                both = " or ".join(repr(names[at]) for at in guessed[role][:3])
                rule = f"say which is the {role}: --columns {role}={names[guessed[role][0]]}"
                raise InvalidInput("header", rule, f"columns {both}")
        other = {r: places[r] for r in places if r not in roles}
        return LogLayout(kind, {r: places[r] for r in roles if r in places}, tuple(names), other)
    if given and set(given) != {"round"}:
        kinds = " or ".join(",".join(needed) for needed in NEEDED.values())
        raise InvalidInput("--columns", f"give all of {kinds}", ",".join(given))
    numbered = bool(given) or plain_name(names[0]) in SYNONYMS["round"]
    wide = {"round": given.get("round", 0)} if numbered else {}
    label = next((at for at, name in enumerate(names) if _is_label(name, at)), None)
    if label is not None and not numbered and len(names) > 1:
        wide = {"label": label}
    return LogLayout(LogKind.WIDE, wide, tuple(names))


def _is_label(name: str, at: int) -> bool:
    """Whether a column of a wide table only names its rows."""
    return plain_name(name) in LABELS if at == 0 else name == "__index_level_0__"


def _server_side(
    stems: Mapping[int, str], guessed: dict[str, list[int]], places: dict[str, int]
) -> None:
    """A server that writes when it sent a model and when it received the work has no column for
    the return: `received` is then the return."""
    found = guessed.get("received", [])
    every = [at for at, stem in stems.items() if stem in SYNONYMS["received"]]
    sent = [at for at in every if stems[at] in SENT]
    back = [at for at in every if stems[at] == "received"]
    if found and "returned" not in places and len(sent) == len(back) == 1:
        guessed["received"], guessed["returned"] = sent, back
        places["received"], places["returned"] = sent[0], back[0]


def _place(names: list[str], role: str, column: str) -> int:
    """The place of a column that is named, whatever its capitals."""
    found = [at for at, name in enumerate(names) if name == column]
    found = found or [at for at, name in enumerate(names) if name.lower() == column.lower()]
    if len(found) != 1:
        shown = ",".join(names)[:SHOWN]
        raise InvalidInput(f"--columns {role}", f"be one column of {shown}", repr(column[:60]))
    return found[0]


def _guesses(
    plain: Mapping[int, str], stems: Mapping[int, str], role: str, given: Mapping[str, int]
) -> list[int]:
    """Columns that could have a role: those with its usual name, else those with another."""
    if role in given:
        return []
    free = {at: name for at, name in plain.items() if at not in given.values()}
    usual = [at for at, name in free.items() if name == role]
    known = [at for at, name in free.items() if name in SYNONYMS[role]]
    timed = [at for at in free if role in TIMED and stems[at] in SYNONYMS[role]]
    rare = [at for at, name in free.items() if name in RARE.get(role, ())]
    return usual or known or timed or rare


def plain_name(name: str) -> str:
    """A name in small letters and underscores.

    >>> plain_name("Server Round"), plain_name("serverRound"), plain_name("client.id")
    ('server_round', 'server_round', 'client_id')
    """
    word = name.strip()
    if not (word.islower() or word.isdigit()):
        word = CAPITAL.sub("_", word).lower()
    return word.translate(JOINED)


def _stem(plain: str) -> str:
    """A plain name without the ending of a moment.

    >>> _stem("sent_at"), _stem("upload_time"), _stem("at")
    ('sent', 'upload', 'at')
    """
    if not plain.endswith(MOMENTS):
        return plain
    ending = next((x for x in MOMENTS if plain.endswith(x) and plain != x[1:]), "")
    return plain.removesuffix(ending)


def _has_role(plain: str) -> bool:
    """Whether a plain name could have a role."""
    return plain in NAMES or (plain.endswith(MOMENTS) and _stem(plain) in NAMES)

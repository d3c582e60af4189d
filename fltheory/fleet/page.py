"""The advice as one self-contained HTML page."""

import html
from collections.abc import Mapping, Sequence

from fltheory.core.extras import hint
from fltheory.core.plain import plain
from fltheory.fleet.advice import Advice
from fltheory.fleet.pictures import GAP_CAPTION
from fltheory.fleet.report import LogRow, PredictionRow, TheoremRow
from fltheory.fleet.tables import ROBUST, error_of, input_rows, robust_rows, step_of
from fltheory.fleet.words import counted, lasting

STYLE = """
:root{color-scheme:light dark;--line:#8884}
body{font:16px/1.55 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}
table{border-collapse:collapse;width:100%;margin:.6rem 0}
th,td{text-align:left;padding:.35rem .6rem;border-bottom:1px solid var(--line);vertical-align:top}
img{width:100%;min-width:32rem;max-width:50rem;background:#fff;border-radius:.4rem}
figure{margin:1.2rem 0;overflow-x:auto}figcaption{color:#777;font-size:.92rem}
.advice{border-left:.35rem solid #0072B2;padding:.4rem 1rem;background:#0072b212}
.no{color:#c2410c;font-weight:600}.yes{color:#0f766e;font-weight:600}
.basis{color:#777;font-size:.88rem}pre{overflow-x:auto;padding:.6rem;background:#8882}
blockquote{margin:.6rem 1rem}.wide{overflow-x:auto}
"""


def page(advice: Advice, pictures: Mapping[str, str], title: str) -> str:
    """The whole report; `pictures` maps captions to data addresses."""
    told, answer = advice.to_json(), advice.answer
    best, (use, *act) = told["recommended"], answer.act
    curves = {caption: address for caption, address in pictures.items() if caption == GAP_CAPTION}
    parts = [
        f"<h1>{_text(title)}</h1>",
        f"<p class=advice>{_text(use)}</p>",
        _list(act),
        f"<h2>The server in Python</h2><pre>{_text(chr(10).join(best['python']))}</pre>",
        f"<p class=basis>{_text(best['update'][:1].upper() + best['update'][1:])}."
        + (f" w is {_text(best['weights'])}." if best["weights"] else "")
        + "</p>",
        *map(_figure, curves, curves.values()),
    ]
    if not pictures:
        parts.append(f"<p class=basis>Without pictures: they need {_text(hint('plot'))}.</p>")
    if answer.sure:
        parts.append("<h2>How sure the choice is</h2>" + _list(answer.sure))
    if told["robustness"] and told["robustness"][0]["settings"] > 1:
        parts.append(
            _table(ROBUST, robust_rows(told))
            + f"<p class=basis>{_text(best['basis'])}. Factor: time over that of the fastest method"
            " in the same setting, 100 at most; the mean is geometric.</p>"
        )
    if answer.proved:
        parts.append("<h2>What is proved</h2>" + _list(answer.proved))
    if (proof := told["proof"]) is not None:
        parts.append(
            f"<p>{_text(proof['method'])} with step size {_text(step_of(proof))}, if"
            f" {_text(proof['language'])}:</p>"
            f"<blockquote>{_text(proof['says'])}</blockquote><p class=basis>"
            + (
                f"Claim {_text(proof['claim'])} of the ledger."
                if proof["claim"]
                else "The certificate is in the JSON report; <code>--certificate FILE</code> writes"
                " it, and <code>fltheory check-certificate FILE</code> checks it."
            )
            + "</p>"
        )
    numbers = {k: v for k, v in told["availability"].items() if k != "basis"}
    parts.append(
        "<h2>Availability</h2>"
        + _table(("", ""), [(k.replace("_", " "), _number(v)) for k, v in numbers.items()])
        + f"<p class=basis>{_text(told['availability']['basis'])}</p>"
    )
    parts += [_figure(caption, pictures[caption]) for caption in pictures if caption not in curves]
    parts.append(
        "<h2>Longest absences</h2>"
        + _table(
            ("client", "rounds", "from round", "basis"),
            [
                (x["client"], x["rounds"], x["from_round"], x["basis"])
                for x in told["longest_absences"]
            ],
        )
    )
    bias = told["fedavg_bias"]
    misplaced = (
        f"{100 * bias['misplaced_influence']:.1f} % of its influence sits with the wrong clients"
    )
    parts.append(
        f"<h2>Weights of plain FedAvg</h2><p>{misplaced}: "
        f"{_text(bias['says'])} <span class=basis>({_text(bias['basis'])})</span>.</p>"
        + _table(
            ("heard least", "weight", "heard most", "weight"),
            [
                (a["client"], f"{a['weight']:.4g}", b["client"], f"{b['weight']:.4g}")
                for a, b in zip(bias["least_heard"], bias["most_heard"], strict=True)
            ],
        )
    )
    parts.append(
        "<h2>Predictions</h2>"
        + _table(
            ("method", "stays below the target after", "error", "step size", "floor"),
            [
                (
                    f"{p['method']}" + (f" ({p['says']})" if p["says"] else ""),
                    _when(p),
                    error_of(p),
                    step_of(p),
                    _number(p["floor"]),
                )
                for p in told["predictions"]
            ],
        )
        + f"<p class=basis>{_text(told['predictions'][0]['basis'])}."
        f" {_text(told['log']['horizon'])} Error: the relative error of rounds and seconds"
        " against a stand-in with all clients; exact if all are in it. Floor: the smallest gap"
        " that any step size reaches.</p>"
    )
    if told["guarantees"]:
        held = told["guarantees"][0]
        named = _text(", ".join(held["clients"]))
        parts.append(
            f"<h2>What holds for all losses</h2><p>Gap after {counted(held['rounds'])} of {named}"
            f" from round {held['first_round']} on, as a part of the first gap, for every loss with"
            " these curvatures and this heterogeneity, without noise <span"
            f" class=basis>({_text(held['basis'])}: exact proofs in the JSON report)</span>.</p>"
            + _table(
                ("method", "step size", "gap at most"),
                [(g["method"], step_of(g), f"{g['gap_at_most']:.4g}") for g in told["guarantees"]],
            )
        )
    fair, waits = told["fair_weights"], told["waiting"]
    parts.append(
        "<h2>Fair weights and waiting</h2>"
        + _table(
            ("", "", "basis"),
            [
                *(
                    (f"{item['says']} ({item['claim']})", _number(item[name]), item["basis"])
                    for item, name in (
                        (fair["unbiased"], "mean_weight"),
                        (fair["variance"], "added_variance"),
                    )
                ),
                *(
                    (
                        (
                            f"rounds until a {name.replace('_', ' ')} of {waits['clients']} clients"
                            f" has answered, {part['says']}"
                        ),
                        _number(value),
                        part["basis"],
                    )
                    for part in (waits["measured"], waits["coin_flips"])
                    for name, value in part.items()
                    if name.startswith("sample")
                ),
            ],
        )
    )
    parts.append("<h2>Theorems</h2>" + "".join(_theorem(reading) for reading in told["theorems"]))
    notes = "".join(f"<li>{_text(note)}" for note in told["log"]["notes"])
    parts.append(
        f"<h2>What this follows from</h2><p>{_text(_size(told['log']))} All numbers follow from the"
        " log and these constants:</p>"
        + _table(("constant", "value", "source", "meaning"), input_rows(told))
        + (f"<p>The log was read so:</p><ul>{notes}</ul>" if notes else "")
    )
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport"'
        f' content="width=device-width,initial-scale=1">'
        f"<title>{_text(title)}</title><style>{STYLE}</style>{''.join(parts)}</html>\n"
    )


def _theorem(reading: TheoremRow) -> str:
    rows = [
        (
            ("yes" if c["holds"] else "no" if c["holds"] is False else "unknown"),
            c["says"],
            c["where"],
        )
        for c in reading["conditions"]
    ]
    verdict = (
        '<span class="yes">applies</span>'
        if reading["applies"]
        else '<span class="no">does not apply</span>'
    )
    return (
        f"<h3>{_text(reading['method'])}: {verdict}</h3><p>Step size: {_text(reading['step_size'])}"
        f" ({_text(reading['basis'])} on this log). The theorem itself is {reading['ledger']} in"
        f" the ledger: <code>fltheory explain {_text(reading['claim'])}</code></p>"
        + _table(("holds", "assumption", "on this log"), rows)
    )


def _list(sentences: Sequence[str]) -> str:
    return f"<ul>{''.join(f'<li>{_text(sentence)}' for sentence in sentences)}</ul>"


def _figure(caption: str, address: str) -> str:
    return (
        f'<figure><img alt="{_text(caption)}" src="{address}">'
        f"<figcaption>{_text(caption)}.</figcaption></figure>"
    )


def _size(log: LogRow) -> str:
    length = (
        ""
        if log["round_seconds"] is None
        else f" of {log['round_seconds']:.4g} s" + (" on average" if log["deliveries"] else "")
    )
    return f"{counted(log['clients'], 'clients')}, {counted(log['rounds'])}{length}" + (
        "; each delivery is a round." if log["deliveries"] else "."
    )


def _when(prediction: PredictionRow) -> str:
    if prediction["rounds"] is None:
        return "never"
    timed = f", {lasting(prediction['seconds'])}" if prediction["seconds"] is not None else ""
    repeated = " (log repeated)" if prediction["repeats_log"] else ""
    return f"{counted(prediction['rounds'], prediction['unit'])}{timed}{repeated}"


def _number(value: object) -> str:
    return "-" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)


def _table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    head = "".join(f"<th>{_text(cell)}</th>" for cell in header) if any(header) else ""
    body = "".join(
        "<tr>" + "".join(f"<td>{_text(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    return f"<div class=wide><table>{f'<tr>{head}</tr>' if head else ''}{body}</table></div>"


def _text(value: object) -> str:
    return html.escape(plain(str(value)))

"""Writes what was measured into Documentation: the figures, the plots, and the tables of
Measurements.md between its two marks."""
import os

from instrument import ROOT
from plots import write_all
from results import Results
from rows import IDLE, all_rows
from table import as_markdown
from targets import TIME_TOLERANCE, judge

PAGE = os.path.join(ROOT, "Documentation", "Measurements.md")
FOLDER = os.path.join(ROOT, "Documentation", "Performance")
BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"

# Title, prefixes of the names of its rows, its plots.
CHAPTERS = [
    ("Reads and writes", ("read, 20 bytes", "read, 512 bytes", "write, 20", "write, 512",
                          "write without", "read on two", "write by"), ("calls",)),
    ("Notifications", ("notification", "1,000,000 notifications", "write, and its"),
     ("notifications",)),
    ("Scanning", ("scan report",), ("scan",)),
    ("Connecting and starting", ("connect", "start-up", "a known device"),
     ("connecting", "start")),
    ("A read among many devices", ("read, among", "read, 4 ", "read, 54", "read, 104"),
     ("growth",)),
    ("Serving", ("served",), ()),
    ("The queue", ("1,000 waiting", "30,000 waiting", "100,000 waiting", "1,000,000 waiting"), ()),
    ("Idle", (IDLE.name,), ()),
]


def verdict_lines(results):
    verdicts = judge(results)
    kept = sum(verdict.is_met for verdict in verdicts)
    yield f"{kept} of {len(verdicts)} are met. A time may exceed its limit by {TIME_TOLERANCE:.0%}."
    yield ""
    yield "| goal | measured | limit | |"
    yield "|---|---:|---:|---|"
    for verdict in verdicts:
        limit = f"{'≥' if verdict.is_least else '≤'} {verdict.limit:g} {verdict.unit}".strip()
        mark = "met" if verdict.is_met else "**missed**"
        yield f"| {verdict.name} | {verdict.value:,.2f} | {limit} | {mark} |"


def measured(results):
    about = results.about
    names = [row.name for row in all_rows()] + [IDLE.name]
    out = [BEGIN, "",
           f"Measured on {about['date']}: {about['processor']}, {about['processors']} processors, "
           f"Linux {about['kernel']}; load {about['load before']:.1f} before, "
           f"{about['load after']:.1f} after.", ""]
    plots = write_all(results, FOLDER)
    if "instructions" in plots:
        out += ["![Instructions of one operation](Performance/instructions.svg)", ""]
    for title, beginnings, pictures in CHAPTERS:
        rows = [name for name in names if name.startswith(beginnings) and name in results.rows]
        out += [f"### {title}", ""]
        out += [f"![{title}](Performance/{name}.svg)\n" for name in pictures if name in plots]
        out += [as_markdown(results, rows), ""]
    elsewhere = [name for name in results.rows if name not in names]
    if elsewhere:
        out += ["### Against another bluetoothd", "",
                "Both are slower than their clients: compare the order of the figures, not their size.", "",
                as_markdown(results, elsewhere), ""]
    out += ["### Goals", "", *verdict_lines(results), "", END]
    return "\n".join(out)


def with_earlier(results, is_part):
    """What is there of other places stays; a part is put into the whole that is there."""
    file = os.path.join(FOLDER, "results.json")
    if not os.path.exists(file):
        return results
    earlier = Results().load(file)
    if is_part:
        return earlier.take_over(results)
    return results.take_over(earlier.only([name for name in earlier.rows if "the real BlueZ" in name
                                           or "the simulated BlueZ" in name]))


def write_documentation(results, is_part=False):
    results = with_earlier(results, is_part)
    text = measured(results)
    results.save(os.path.join(FOLDER, "results.json"))
    with open(PAGE) as file:
        page = file.read()
    before, rest = page.split(BEGIN, 1)
    after = rest.split(END, 1)[1]
    with open(PAGE, "w") as file:
        file.write(before + text + after)

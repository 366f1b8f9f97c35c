"""Writes the results into Documentation: results.json, the plots, and the part of Measurements.md
between its two markers."""
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

# Title, prefixes of the row names, plots.
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
    met_count = sum(verdict.is_met for verdict in verdicts)
    yield f"{met_count} of {len(verdicts)} are met. A time may exceed its limit by {TIME_TOLERANCE:.0%}."
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
           f"{about['load after']:.1f} after."
           + (f" The instructions were counted on {about['counted']}." if "counted" in about else ""), ""]
    plots = write_all(results, FOLDER)
    if "instructions" in plots:
        out += ["![Instructions of one operation](Performance/instructions.svg)", ""]
    for title, prefixes, plot_names in CHAPTERS:
        rows = [name for name in names if name.startswith(prefixes) and name in results.rows]
        out += [f"### {title}", ""]
        out += [f"![{title}](Performance/{name}.svg)\n" for name in plot_names if name in plots]
        out += [as_markdown(results, rows), ""]
    other_daemon_rows = [name for name in results.rows if name not in names]
    if other_daemon_rows:
        out += ["### Against another bluetoothd", "",
                "Both daemons are slower than their clients: compare the ranking of the clients, not the "
                "values.", "",
                as_markdown(results, other_daemon_rows), ""]
    out += ["### Goals", "", *verdict_lines(results), "", END]
    return "\n".join(out)


def merged_with_saved(results, is_part):
    """Merges new results with the saved ones. Results for other daemons are kept. Partial results
    replace only their own rows."""
    file = os.path.join(FOLDER, "results.json")
    if not os.path.exists(file):
        return results
    saved = Results().load(file)
    if is_part:
        saved.merge(results)
        if "counted" in results.about:
            saved.about["counted"] = results.about["counted"]
        return saved
    return results.merge(saved.only([name for name in saved.rows if "the real BlueZ" in name
                                           or "the simulated BlueZ" in name]))


def write_documentation(results, is_part=False):
    results = merged_with_saved(results, is_part)
    text = measured(results)
    results.save(os.path.join(FOLDER, "results.json"))
    with open(PAGE) as file:
        page = file.read()
    before, rest = page.split(BEGIN, 1)
    after = rest.split(END, 1)[1]
    with open(PAGE, "w") as file:
        file.write(before + text + after)

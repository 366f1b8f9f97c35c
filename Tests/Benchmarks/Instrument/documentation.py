"""Writes the results into Documentation/Performance: results.json, the plots, a page with the table beside
each plot, and the parts of README.md and instructions.md between their markers."""
import os

from instrument import ROOT
from plots import COUNTED_ROWS, write_all
from results import Results
from rows import IDLE, all_rows
from table import as_markdown, counts_as_markdown, idle_as_markdown
from targets import TIME_TOLERANCE, judge

FOLDER = os.path.join(ROOT, "Documentation", "Performance")
BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"
FOOTER = "[The columns and the other tables](README.md) · [What the figures mean](../Performance.md)"

# Page, title, prefixes of the row names. A page has the plot of its name.
PAGES = [
    ("calls", "Reads and writes", ("read, 20 bytes", "read, 512 bytes", "write, 20", "write, 512",
                                   "write without", "read on two", "write by")),
    ("notifications", "Notifications",
     ("notification", "1,000,000 notifications", "write, and its")),
    ("scan", "Scanning", ("scan report",)),
    ("connecting", "Connecting", ("connect",)),
    ("start", "Starting", ("start-up", "a known device")),
    ("growth", "A read among many devices", ("read, among", "read, 4 ", "read, 54", "read, 104")),
    ("serving", "Serving", ("served",)),
    ("queue", "The queue",
     ("1,000 waiting", "30,000 waiting", "100,000 waiting", "1,000,000 waiting")),
]


def goals(results):
    """Returns the text and the table of the goals."""
    verdicts = judge(results)
    met_count = sum(verdict.is_met for verdict in verdicts)
    out = [f"{met_count} of {len(verdicts)} are met. A time may exceed its limit by {TIME_TOLERANCE:.0%}.",
           "", "| goal | measured | limit | |", "|---|---:|---:|---|"]
    for verdict in verdicts:
        limit = f"{'≥' if verdict.is_least else '≤'} {verdict.limit:g} {verdict.unit}".strip()
        mark = "met" if verdict.is_met else "**missed**"
        out.append(f"| {verdict.name} | {verdict.value:,.2f} | {limit} | {mark} |")
    return "\n".join(out)


def write_page(name, title, *parts):
    """Writes a page that has nothing but results."""
    with open(os.path.join(FOLDER, f"{name}.md"), "w") as file:
        file.write("\n\n".join([f"# {title}", *parts, FOOTER]) + "\n")


def write_between_markers(name, text):
    """Replaces the results of a page that has other text, too."""
    path = os.path.join(FOLDER, f"{name}.md")
    with open(path) as file:
        before, rest = file.read().split(BEGIN, 1)
    after = rest.split(END, 1)[1]
    with open(path, "w") as file:
        file.write(f"{before}{BEGIN}\n\n{text}\n\n{END}{after}")


def write_pages(results):
    names = [row.name for row in all_rows()] + [IDLE.name]
    plots = write_all(results, FOLDER)
    for page, title, prefixes in PAGES:
        rows = [name for name in names if name.startswith(prefixes) and name in results.rows]
        plot = [f"![{title}]({page}.svg)"] if page in plots else []
        write_page(page, title, *plot, as_markdown(results, rows))
    if IDLE.name in results.rows:
        write_page("idle", "Idle", "Each client listens to a characteristic that sends nothing.",
                   idle_as_markdown(results, IDLE.name))
    if other_daemon_rows := [name for name in results.rows if name not in names]:
        write_page("daemons", "The simulated and the real BlueZ",
                   "Both daemons are slower than their clients: compare the ranking of the clients, "
                   "not the values.", as_markdown(results, other_daemon_rows))
    write_page("goals", "Goals", goals(results))
    write_between_markers("instructions", "![Instructions of one operation](instructions.svg)\n\n"
                          + counts_as_markdown(results, COUNTED_ROWS))
    about = results.about
    write_between_markers("README", f"""Measured on {about['date']}:

- {about['processor']}, {about['processors']} processors, Linux {about['kernel']}
- load {about['load before']:.1f} before, {about['load after']:.1f} after"""
                          + (f"\n- instructions counted on {about['counted']}" if "counted" in about else ""))


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
    write_pages(results)
    results.save(os.path.join(FOLDER, "results.json"))

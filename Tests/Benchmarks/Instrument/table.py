"""Formats the results as tables."""
import math

from rows import BLOCKING, CALLBACKS, GLIB

HEADINGS = ["row", "client", "us", "least", "ratio", "CPU us", "ratio", "min", "median", "p99",
            "instructions", "ratio", "lost", "MB"]


def number(value, digits=1):
    return "" if math.isnan(value) else f"{value:,.{digits}f}"


def base_of(results, row):
    clients = results.clients(row)
    return next((base for base in (GLIB, BLOCKING, CALLBACKS) if base in clients), None)


def cells(results, row, client, base):
    """Returns the cells of one client, without the name of the row."""
    median = lambda key: results.median(row, client, key)
    ratio = lambda key: number(results.ratio(row, client, base, key), 2) if base else ""
    lost = results.most(row, client, "lost")
    return [client, number(median("wall")), number(results.least(row, client, "wall")),
            ratio("wall"), number(median("cpu")), ratio("cpu"), number(median("minimum")),
            number(median("median")), number(median("p99")), number(median("instructions"), 0),
            ratio("instructions"), number(lost, 0) if lost else "",
            number(median("resident") / 1024)]


def lines_of(results, row):
    base = base_of(results, row)
    for client in results.clients(row):
        reason = results.refusals.get(row, {}).get(client)
        if reason:
            yield [client, f"cannot: {reason}"]
        elif row == "idle, listening":
            wakes = number(results.median(row, client, "wake-ups"), 0)
            memory = number(results.median(row, client, "resident") / 1024)
            yield [client, f"{wakes} wake-ups in 10 s, {memory} MB"]
        else:
            yield cells(results, row, client, base)


def as_text(results):
    widths = [24, 8, 8, 6, 8, 6, 8, 8, 8, 12, 6, 5, 6]
    out = [f"{'':26}" + " ".join(f"{heading:>{width}}"
                                 for heading, width in zip(HEADINGS[2:], widths[1:]))]
    for row in results.rows:
        out.append(row)
        for line in lines_of(results, row):
            if len(line) == 2:
                out.append(f"  {line[0]:24}{line[1]}")
            else:
                out.append(f"  {line[0]:24}" + " ".join(
                    f"{cell:>{width}}" for cell, width in zip(line[1:], widths[1:])))
    return "\n".join(line.rstrip() for line in out)


def markdown(headings, lines, texts):
    """Returns a Markdown table. The first `texts` columns are on the left, the numbers on the right."""
    out = ["| " + " | ".join(headings) + " |",
           "|" + "|".join("---" if column < texts else "---:" for column in range(len(headings))) + "|"]
    return "\n".join(out + ["| " + " | ".join(line) + " |" for line in lines])


def as_markdown(results, rows):
    """Returns a Markdown table of some rows, without the columns that are empty in all of them."""
    lines = []
    for row in rows:
        if row not in results.rows:
            continue
        for position, line in enumerate(lines_of(results, row)):
            filled = line + [""] * (len(HEADINGS) - 1 - len(line))
            lines.append([row if position == 0 else "", *filled])
    kept = [column for column in range(len(HEADINGS)) if any(line[column] for line in lines)]
    return markdown([HEADINGS[column] for column in kept],
                    [[line[column] for column in kept] for line in lines], 2)


def idle_as_markdown(results, row):
    lines = []
    for client in results.clients(row):
        if reason := results.refusals.get(row, {}).get(client):
            lines.append([client, f"cannot: {reason}", ""])
        else:
            lines.append([client, number(results.median(row, client, "wake-ups"), 0),
                          number(results.median(row, client, "resident") / 1024)])
    return markdown(["client", "wake-ups in 10 s", "MB"], lines, 1)


def counts_as_markdown(results, rows):
    """Returns a Markdown table of the instructions alone."""
    lines = []
    for row in rows:
        base = base_of(results, row)
        for position, (client, count) in enumerate(results.instructions.get(row, {}).items()):
            lines.append([row if position == 0 else "", client, number(count, 0),
                          number(results.ratio(row, client, base, "instructions"), 2)])
    return markdown(["row", "client", "instructions", "ratio"], lines, 2)

"""Draws the results as SVG: bars compare clients, lines show how costs grow."""
import math
import os
from html import escape

from rows import (ASYNC, BLEAK, BLOCKING, CALLBACKS, GDBUS, GLIB, SDBUS, SIMPLEPYBLE, TASK)

COLOURS = {GLIB: "#8c8c8c", BLOCKING: "#b8b8b8", SDBUS: "#d0d0d0", GDBUS: "#6b8fb5",
           CALLBACKS: "#1f6fd6", ASYNC: "#5aa0f2", TASK: "#8fc1f7", BLEAK: "#e08a2e",
           SIMPLEPYBLE: "#b5563c"}
LEFT, WIDTH, BAR, GAP = 190, 720, 15, 16
COUNTED_ROWS = ["read, 20 bytes", "write, 20 bytes", "notification, 20 bytes",
                "scan report, 100 devices", "served read", "served notification"]
STYLE = "font-family='sans-serif' font-size='12' fill='#222'"


def text(x, y, words, more=""):
    return f"<text x='{x:.0f}' y='{y:.0f}' {more}>{escape(words)}</text>"


def drawing(height, title, parts):
    return "\n".join([
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {WIDTH} {height:.0f}' "
        f"width='{WIDTH}' height='{height:.0f}' {STYLE}>",
        f"<title>{escape(title)}</title>",
        f"<rect width='{WIDTH}' height='{height:.0f}' fill='#ffffff'/>",
        text(10, 20, title, "font-weight='bold'"), *parts, "</svg>", ""])


def figure(value):
    return f"{value:,.0f}" if value >= 100 else f"{value:,.1f}"


def bars(title, results, rows, clients, key):
    """Draws one group of bars for each row, with one bar for each client. Each group has its own scale,
    because the rows differ in magnitude."""
    parts, y, space = [], 40, WIDTH - LEFT - 70
    for row in rows:
        found = [(client, results.median(row, client, key)) for client in clients]
        found = [(client, value) for client, value in found if not math.isnan(value)]
        if not found:
            continue
        # The slowest client would make the other bars too short, so its bar is cut. Its number is correct.
        longest = sorted(value for _, value in found)[-2 if len(found) > 2 else -1] * 1.25
        parts.append(text(10, y + 12, row, "font-weight='bold'"))
        y += 20
        for client, value in found:
            length = max(1, min(1, value / longest) * space)
            parts.append(text(LEFT - 8, y + 12, client, "text-anchor='end'"))
            parts.append(f"<rect x='{LEFT}' y='{y}' width='{length:.0f}' height='{BAR - 2}' "
                         f"fill='{COLOURS.get(client, '#999')}'/>")
            parts.append(text(LEFT + length + 6, y + 12, figure(value)))
            y += BAR + 3
        y += GAP
    return drawing(y, title, parts) if parts else None


class Scale:
    """A logarithmic axis."""

    def __init__(self, values, start, end):
        self.low = math.floor(math.log10(min(values)))
        self.high = max(self.low + 1, math.ceil(math.log10(max(values))))
        self.start, self.end = start, end

    def __call__(self, value):
        part = (math.log10(value) - self.low) / (self.high - self.low)
        return self.start + part * (self.end - self.start)

    @property
    def ticks(self):
        return [10.0 ** exponent for exponent in range(self.low, self.high + 1)]


def lines(title, x_label, results, points, clients, key):
    """Draws one line for each client. A point is a number of devices and the row measured with it."""
    found = {}
    for client in clients:
        values = [(number, results.median(row, client, key)) for number, row in points]
        values = [(number, value) for number, value in values if value > 0]
        if len(values) > 1:
            found[client] = values
    if not found:
        return None
    height, bottom = 330, 280
    across = Scale([number for number, _ in points], 70, WIDTH - 170)
    up = Scale([value for values in found.values() for _, value in values], bottom, 45)
    parts = []
    for tick in up.ticks:
        parts.append(f"<path d='M70 {up(tick):.0f}H{WIDTH - 170}' stroke='#ddd'/>")
        parts.append(text(62, up(tick) + 4, f"{tick:,g}", "text-anchor='end'"))
    for number, _ in points:
        parts.append(text(across(number), bottom + 18, f"{number:,}", "text-anchor='middle'"))
    parts.append(text(70, bottom + 38, x_label))
    for place, (client, values) in enumerate(found.items()):
        colour = COLOURS.get(client, "#999")
        path = " ".join(f"{across(number):.1f},{up(value):.1f}" for number, value in values)
        parts.append(f"<polyline points='{path}' fill='none' stroke='{colour}' stroke-width='2'/>")
        parts.append(f"<rect x='{WIDTH - 150}' y='{50 + 20 * place}' width='12' height='12' "
                     f"fill='{colour}'/>")
        parts.append(text(WIDTH - 132, 61 + 20 * place, client))
    return drawing(height, title, parts)


def write_all(results, folder):
    """Writes the plots and returns their names."""
    os.makedirs(folder, exist_ok=True)
    all_clients = [SDBUS, BLOCKING, GLIB, GDBUS, CALLBACKS, ASYNC, TASK, BLEAK, SIMPLEPYBLE]
    central = [GLIB, GDBUS, CALLBACKS, BLEAK, SIMPLEPYBLE]
    worlds = [(10, "read, 20 bytes"), (100, "read, among 100 devices"),
              (1000, "read, among 1,000 devices"), (10_000, "read, among 10,000 devices")]
    scans = [(number, f"scan report, {number:,} devices") for number in (100, 1000, 10_000)]
    starts = [(number, f"start-up, {number:,} known devices") for number in (1000, 10_000)]
    plots = {
        "calls": bars("Processor time of one call, in microseconds", results,
                      ["read, 20 bytes", "write, 20 bytes", "write without response, 20 bytes"],
                      all_clients, "cpu"),
        "notifications": bars("Processor time of one notification, in microseconds", results,
                              ["notification, 20 bytes", "notification, 244 bytes",
                               "notification by descriptor, 20 bytes"], all_clients, "cpu"),
        "instructions": bars("Instructions of one operation", results, COUNTED_ROWS, all_clients,
                             "instructions"),
        "connecting": bars("Time from connect to known services, in microseconds",
                           results, ["connect to ready"], central, "median"),
        "growth": lines("One read, by number of known devices: processor time in microseconds",
                        "devices that bluetoothd knows", results, worlds, central, "cpu"),
        "scan": lines("One scan report, by number of devices: processor time in microseconds",
                      "devices that advertise", results, scans, central, "cpu"),
        "start": lines("Start-up: time in microseconds", "devices that bluetoothd knows", results,
                       starts, central, "wall"),
    }
    written = []
    for name, plot in plots.items():
        if plot:
            with open(os.path.join(folder, f"{name}.svg"), "w") as file:
                file.write(plot)
            written.append(name)
    return written

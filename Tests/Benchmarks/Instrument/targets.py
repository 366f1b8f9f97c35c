"""The performance goals, and whether the results meet them."""
import math
from dataclasses import dataclass

from rows import ASYNC, ASYNC_MAIN, BLOCKING, CALLBACKS, GLIB, PEERS, SMALL, TASK

# Instruction counts are repeatable to within 1 %, so their limits are strict. Times are medians of interleaved
# rounds. They may exceed a limit by this share, because they vary by as much on a busy computer.
TIME_TOLERANCE = 0.10


@dataclass
class Verdict:
    name: str
    value: float
    limit: float
    unit: str = "x"
    is_timed: bool = False
    is_least: bool = False

    @property
    def is_met(self):
        tolerance = TIME_TOLERANCE if self.is_timed else 0
        if self.is_least:
            return self.value >= self.limit * (1 - tolerance)
        return self.value <= self.limit * (1 + tolerance)

    def __str__(self):
        words = "at least" if self.is_least else "at most"
        tolerance = f", within {TIME_TOLERANCE:.0%}" if self.is_timed else ""
        mark = "met   " if self.is_met else "MISSED"
        return (f"{mark} {self.name}: {self.value:,.2f} {self.unit}"
                f" ({words} {self.limit:g}{tolerance})")


class Judge:
    def __init__(self, results):
        self.results, self.verdicts = results, []

    def add(self, name, value, limit, **more):
        if not math.isnan(value):
            self.verdicts.append(Verdict(name, value, limit, **more))

    def against_base(self, row, key, limit, client=CALLBACKS, base=GLIB):
        labels = {"instructions": "instructions", "cpu": "processor", "wall": "time",
                  "median": "median time"}
        by_client = "" if client == CALLBACKS else f" by {client}"
        name = f"{row}{by_client}: {labels[key]} of {base}"
        self.add(name, self.results.ratio(row, client, base, key), limit,
                 is_timed=key != "instructions")

    def flat(self, name, rows, key, limit, **more):
        values = [self.results.median(row, CALLBACKS, key) for row in rows]
        values = [value for value in values if not math.isnan(value)]
        if len(values) > 1:
            self.add(name, max(values[1:]) / values[0], limit, **more)


def judge(results):
    judge = Judge(results)
    judge_calls(judge)
    judge_signals(judge)
    judge_worlds(judge)
    judge_ways(judge)
    judge_peers(judge)
    judge_queue(judge)
    judge_descriptors(judge)
    judge_idle(judge)
    return judge.verdicts


def judge_calls(judge):
    for name in ("read", "write"):
        for size in (20, 512):
            row = f"{name}, {size} bytes"
            judge.against_base(row, "instructions", 1.0)
            judge.against_base(row, "median", 1.1)
    judge.against_base("write without response, 20 bytes", "instructions", 1.0)


def judge_signals(judge):
    for size in (20, 244):
        row = f"notification, {size} bytes"
        judge.against_base(row, "instructions", 1.1)
        judge.against_base(row, "cpu", 1.1)
    for row in judge.results.rows:
        if "notification" in row and "served" not in row:
            lost = judge.results.most(row, CALLBACKS, "lost")
            judge.add(f"{row}: lost", lost, 0, unit="lost")
    judge.against_base("scan report, 100 devices", "instructions", 1.25)
    for name in ("served read", "served write", "served notification"):
        judge.against_base(name, "instructions", 1.25)
    judge.against_base("connect to ready", "median", 1.25)


def judge_worlds(judge):
    scans = [f"scan report, {number} devices" for number in ("100", "1,000", "10,000")]
    judge.flat("scan report: instructions, the most devices against 100", scans, "instructions", 1.15)
    for row in scans[1:]:
        judge.against_base(row, "cpu", 1.25)
    judge.against_base("a known device at the start", "instructions", 1.25)
    starts = [f"start-up, {number} known devices" for number in ("1,000", "10,000")]
    for row in starts:
        judge.against_base(row, "wall", 1.25)
    small, large = (judge.results.median(row, CALLBACKS, "cpu") for row in starts)
    judge.add("start-up: a device among 10,000 against one among 1,000", large / small / 10, 1.15,
              is_timed=True)
    read = "read, 20 bytes"
    ours = judge.results.median(read, CALLBACKS, "instructions")
    for row in judge.results.rows:
        if row.startswith("read, among") or row.startswith("read, ") and "charact" in row:
            there = judge.results.median(row, CALLBACKS, "instructions")
            judge.add(f"{row}: instructions of a plain read", there / ours, 1.15)


def judge_ways(judge):
    for client in (ASYNC, ASYNC_MAIN, TASK):
        for row in ("read, 20 bytes", "write, 20 bytes"):
            judge.against_base(row, "median", 1.25, client, CALLBACKS)
    judge.against_base("notification, 20 bytes", "wall", 1.25, ASYNC, CALLBACKS)


def judge_peers(judge):
    for row in judge.results.rows:
        if CALLBACKS not in judge.results.samples.get(row, {}) or row == "idle, listening":
            continue
        for peer in PEERS:
            # Short disturbances of the computer do not affect a median latency.
            has_latency = judge.results.values(row, CALLBACKS, "median")
            time = "median" if has_latency else "wall"
            for key, words in ((time, "time"), ("cpu", "processor")):
                ratio = judge.results.ratio(row, CALLBACKS, peer, key)
                judge.add(f"{row}: {words} of {peer}", ratio, 1.0, is_timed=True)


def judge_queue(judge):
    rows = {kind: [f"{number} waiting reads {kind}" for number in ("1,000", "100,000", "1,000,000")]
            for kind in ("taken in", "cancelled")}
    for kind, names in rows.items():
        value = judge.results.median(names[1], CALLBACKS, "instructions")
        judge.add(f"a waiting read {kind}", value, 3500, unit="instructions")
        large = judge.results.median(names[2], CALLBACKS, "cpu")
        middle = judge.results.median(names[1], CALLBACKS, "cpu")
        judge.add(f"a waiting read {kind}: 1,000,000 against 100,000", large / middle, 1.25,
                  is_timed=True)


def judge_descriptors(judge):
    pairs = (("write by descriptor, 20 bytes", "write without response, 20 bytes"),
             ("notification by descriptor, 20 bytes", "notification, 20 bytes"))
    for ours, by_bus in pairs:
        for key, words, limit in (("wall", "messages a second", 5), ("cpu", "processor", 0.2)):
            there = judge.results.median(ours, CALLBACKS, key)
            here = judge.results.median(by_bus, CALLBACKS, key)
            value = here / there if key == "wall" else there / here
            judge.add(f"{ours}: {words} of the D-Bus path", value, limit, is_timed=True,
                      is_least=key == "wall")


def judge_idle(judge):
    row, results = "idle, listening", judge.results
    judge.add("idle: wake-ups in 10 s", results.median(row, CALLBACKS, "wake-ups"), 0, unit="")
    for client, words in ((CALLBACKS, ""), (SMALL, " of a small binary")):
        more = results.median(row, client, "resident") - results.median(row, GLIB, "resident")
        judge.add(f"idle: resident memory{words} above that of C", more / 1024, 10, unit="MB")

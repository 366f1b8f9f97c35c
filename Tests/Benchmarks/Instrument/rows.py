"""The rows of the measurement, and the commands that perform them."""
import os
from dataclasses import dataclass, field
from typing import Callable

from instrument import HERE, WORK

BLOCKING, GLIB, GDBUS, SDBUS = "C, blocking", "C, GLib", "GDBus", "sd-bus"
CALLBACKS, THREAD, ASYNC = "Bluejay", "Bluejay, own loop", "Bluejay async"
ASYNC_MAIN, TASK = "Bluejay async, main actor", "Bluejay task"
SMALL = "Bluejay, small binary"
BLEAK, SIMPLEPYBLE = "bleak", "simplepyble"

PEERS = [BLEAK, SIMPLEPYBLE]
OURS = [CALLBACKS, THREAD, ASYNC, ASYNC_MAIN, TASK]
WAYS = {CALLBACKS: "callbacks", THREAD: "thread", ASYNC: "async", ASYNC_MAIN: "async-main",
        TASK: "task"}


@dataclass
class Row:
    """One measured operation. `count` and `rounds` have two values: with `--quick`, and without."""
    name: str
    verb: str
    clients: list
    count: tuple
    rounds: tuple = (2, 3)
    size: int = 20
    base: str = GLIB
    world: Callable = lambda count: []  # Daemon options, by number of operations.
    lengths: tuple = None  # Operations of the short and of the long run that are counted.
    counted: list = field(default_factory=lambda: [GLIB, CALLBACKS])
    is_slow: bool = False  # Omitted with `--quick`.
    is_count_slow: bool = False  # With `--quick`, its instructions are not counted.

    @property
    def is_timed(self):
        return self.count is not None


def is_served(row):
    return row.verb.startswith("serve")


def command(client, row, count, python):
    """Returns the command that performs the operation of a row `count` times."""
    arguments = [str(count), str(row.size)]
    if is_served(row):
        if client == GLIB:
            return [f"{WORK}/application", row.verb.removeprefix("serve-"), *arguments]
        return [f"{WORK}/benchmark-client", "serve", row.verb, *arguments]
    if client in (BLOCKING, GLIB):
        way = "block" if client == BLOCKING else "glib"
        return [f"{WORK}/central", way, row.verb, *arguments]
    if client in (GDBUS, SDBUS):
        return [f"{WORK}/{client.lower().replace('-', '')}", row.verb, *arguments]
    if client in PEERS:
        return [python or "python3", "-W", "ignore", f"{HERE}/Peers/{client}_client.py",
                row.verb, *arguments]
    if client == SMALL:
        return [f"{WORK}/benchmark-client-small", WAYS[CALLBACKS], row.verb, *arguments]
    return [f"{WORK}/benchmark-client", WAYS[client], row.verb, *arguments]


def count_for(client, count):
    """Returns a quarter of the operations for the peers: they are slower, and their results remain stable."""
    return max(1, count // 4) if client in PEERS else count


def known(number):
    return lambda _: ["--known", number]


def sparse(number):
    return lambda _: ["--known", number, "--sparse"]


def characteristics(services, each):
    return lambda _: ["--services", services, "--chars", each]


def advertisers(number):
    return lambda count: ["--adv", number, "--rounds", max(1, count // number)]


def drive(verb):
    return lambda count: ["--drive", verb, count, 1]


ALL_C = [BLOCKING, GLIB, GDBUS, SDBUS]


def call_rows():
    calls = {"read": "read", "write": "write", "command": "write without response"}
    for verb, name in calls.items():
        for size in (20, 512):
            if verb == "command" and size == 512:
                continue
            main = size == 20
            clients = [*ALL_C, *(OURS if main else [CALLBACKS]), *PEERS]
            yield Row(f"{name}, {size} bytes", verb, clients, (1000, 4000), size=size,
                      rounds=(3, 5) if main else (3, 3),
                      lengths=(300, 1300),
                      counted=[GLIB, GDBUS, SDBUS, *OURS] if main else [GLIB, CALLBACKS])
    yield Row("read on two links at once", "links", [GLIB, CALLBACKS], (1000, 5000),
              lengths=(300, 1300))


def notification_rows():
    for size, count in ((20, (20_000, 100_000)), (244, (10_000, 50_000))):
        yield Row(f"notification, {size} bytes", "notify",
                  [*ALL_C, CALLBACKS, THREAD, ASYNC, *PEERS], count, size=size,
                  lengths=(2000, 12000), counted=[GLIB, GDBUS, SDBUS, CALLBACKS, ASYNC])
    yield Row("1,000,000 notifications", "notify", [GLIB, GDBUS, CALLBACKS, ASYNC, BLEAK],
              (0, 1_000_000), rounds=(0, 1), is_slow=True)
    yield Row("write, and its notification", "answer", [GLIB, CALLBACKS], (1000, 4000))


def descriptor_rows():
    offered = lambda _: ["--fd"]
    yield Row("write by descriptor, 20 bytes", "fdwrite", [BLOCKING, CALLBACKS],
              (20_000, 100_000), base=BLOCKING, world=offered)
    yield Row("notification by descriptor, 20 bytes", "fdnotify", [BLOCKING, CALLBACKS, BLEAK],
              (20_000, 100_000), base=BLOCKING, world=offered)


def scan_rows():
    for number in (100, 1000, 10_000):
        clients = [GLIB, GDBUS, CALLBACKS, *(PEERS if number > 100 else [BLEAK])]
        yield Row(f"scan report, {number:,} devices", "scan", clients,
                  (max(3000, 2 * number), 10 * number), rounds=(2, 3), world=advertisers(number),
                  lengths=(10 * number, 30 * number) if number == 100 else (2 * number, 4 * number),
                  counted=[GLIB, CALLBACKS] if number == 100 else [CALLBACKS],
                  is_count_slow=number == 10_000)


def connection_rows():
    yield Row("connect to ready", "connect", [BLOCKING, GLIB, CALLBACKS, *PEERS], (30, 100))
    for number in (0, 1000, 10_000):
        yield Row(f"start-up, {number:,} known devices", "startup",
                  [GLIB, GDBUS, CALLBACKS, *PEERS], (1, 1), rounds=(3, 5), world=known(number))
    yield Row("a known device at the start", "startup", [], None, lengths=(200, 1200),
              world=lambda count: ["--known", count])


def growth_rows():
    worlds = [("among 10,000 objects", sparse(10_000)), ("4 characteristics", characteristics(0, 0)),
              ("54 characteristics", characteristics(5, 10)),
              ("104 characteristics", characteristics(10, 10))]
    worlds[:0] = [(f"among {number:,} devices", known(number)) for number in (100, 1000, 10_000)]
    for name, world in worlds:
        yield Row(f"read, {name}", "read", [GLIB, CALLBACKS, BLEAK], (500, 2000), rounds=(1, 3),
                  world=world, lengths=(300, 1300), counted=[CALLBACKS],
                  is_count_slow=name not in ("among 10,000 objects", "104 characteristics"))


def server_rows():
    for verb, name, count, lengths in (("read", "served read", (1000, 5000), (300, 1300)),
                                       ("write", "served write", (1000, 5000), (300, 1300)),
                                       ("notify", "served notification", (20_000, 100_000),
                                        (2000, 12000))):
        yield Row(name, "serve-notify" if verb == "notify" else "serve", [GLIB, CALLBACKS], count,
                  world=drive(verb), lengths=lengths)


def queue_rows():
    for number in (1000, 100_000, 1_000_000):
        slow = number == 1_000_000
        for verb, name in (("queue", "taken in"), ("cancel", "cancelled"), ("drain", "drained")):
            if verb == "drain" and slow:
                rounds = (0, 1)
            else:
                rounds = (1, 3)
            is_slow = slow and verb == "drain" or verb == "drain" and number == 100_000
            yield Row(f"{number:,} waiting reads {name}", verb, [CALLBACKS], (number, number),
                      rounds=rounds, base=None, is_slow=is_slow, counted=[CALLBACKS],
                      lengths=(1000, 101_000) if number == 100_000 and verb != "drain" else None)
    for number in (1000, 30_000):
        yield Row(f"{number:,} waiting async reads cancelled", "cancel", [ASYNC], (number, number),
                  rounds=(1, 3), base=None, world=lambda _: ["--hold"])


def all_rows():
    return [*call_rows(), *notification_rows(), *descriptor_rows(), *scan_rows(),
            *connection_rows(), *growth_rows(), *server_rows(), *queue_rows()]


IDLE = Row("idle, listening", "idle", [BLOCKING, GLIB, CALLBACKS, SMALL, ASYNC, *PEERS], (1, 1))


def python_of_peers():
    """Returns the Python that has bleak; `.ci/prepare benchmarks` installs it and records its path."""
    note = f"{WORK}/python"
    if os.path.exists(note):
        with open(note) as file:
            return file.read().strip()
    return None

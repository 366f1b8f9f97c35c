"""Functions shared by `run` and `count`: they build the programs, and measure a client against a daemon on
a private bus."""
import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ROOT = os.path.dirname(os.path.dirname(HERE))
WORK = os.path.join(ROOT, ".build", "benchmarks")
TIME_LIMIT = 1800  # In seconds. Loading 100,000 objects under callgrind is slow.
IDLE_SECONDS = 10
SETTLING_SECONDS = 3  # On a busy computer, replies to the setup may still arrive.

CONFIGURATION = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <listen>unix:path={socket}</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow user="*"/>
    <allow own="*"/>
    <allow send_destination="*"/>
    <allow send_type="signal"/>
    <allow send_requested_reply="true"/>
    <allow receive_type="method_call"/>
    <allow receive_type="method_return"/>
    <allow receive_type="error"/>
    <allow receive_type="signal"/>
  </policy>
  <limit name="max_message_size">134217728</limit>
  <limit name="max_incoming_bytes">1000000000</limit>
  <limit name="max_outgoing_bytes">1000000000</limit>
  <limit name="max_replies_per_connection">2000000</limit>
</busconfig>
"""


class Failed(Exception):
    """A program failed to complete its row."""

    def __init__(self, reason, command=()):
        super().__init__(": ".join([" ".join(command), reason]) if command else reason)
        self.reason = reason


class Unsupported(Exception):
    """The program does not support the row or is not installed; the text gives the reason."""


# ---- Building -----------------------------------------------------------------------------------

# Name, pkg-config packages.
C_PROGRAMS = [
    ("bluetoothd", ["dbus-1"]),
    ("central", ["dbus-1", "glib-2.0"]),
    ("application", ["dbus-1"]),
    ("gdbus", ["gio-2.0"]),
]


def missing_tools(*more):
    wanted = ("dbus-daemon", "cc", "pkg-config", "swift", *more)
    return [tool for tool in wanted if not shutil.which(tool)]


def flags_of(packages):
    done = subprocess.run(["pkg-config", "--cflags", "--libs", *packages],
                          capture_output=True, text=True)
    return done.stdout.split() if done.returncode == 0 else None


def build_c():
    """Builds the C programs; skips programs whose library is not installed."""
    os.makedirs(WORK, exist_ok=True)
    for name, packages in C_PROGRAMS:
        flags = flags_of(packages)
        if flags is None:
            continue
        subprocess.run(["cc", "-O2", "-o", f"{WORK}/{name}", f"{HERE}/C/{name}.c", *flags], check=True)
    header = "/usr/include/systemd/sd-bus.h"
    if os.path.exists(header):
        subprocess.run(["cc", "-O2", "-o", f"{WORK}/sdbus", f"{HERE}/C/sdbus.c", "-lsystemd"],
                       check=True)


def build_swift(package, scratch, product, *more):
    """Makes a release build and returns the path of the program."""
    build_command = ["swift", "build", "-c", "release", "--package-path", package,
                     "--scratch-path", scratch, *more]
    flags = os.environ.get("BUILD_FLAGS", "").split()
    # The trait of this package is unknown to the packages of the benchmarks.
    if "--traits" in flags:
        place = flags.index("--traits")
        del flags[place:place + 2]
    # SwiftPM does not detect manifest changes in local package dependencies: force a new build plan.
    with contextlib.suppress(FileNotFoundError):
        os.remove(f"{scratch}/release.yaml")
    done = subprocess.run([*build_command, *flags, "--product", product], stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        sys.exit(f"the build of {product} failed")
    folder = subprocess.check_output([*build_command, "--show-bin-path"], text=True).strip()
    return f"{folder}/{product}"


def strip(program):
    """Strips debug information, because valgrind cannot read that of Swift; keeps the symbol names."""
    name = os.path.basename(program)
    subprocess.run(["strip", "-g", "-o", f"{WORK}/{name}", program], check=True)


def build_client(client=None):
    """Builds the client for the rows of the public API, without the trait `Foundation`."""
    client = client or build_swift(HERE, f"{WORK}/package", "benchmark-client")
    needed = subprocess.check_output(["readelf", "-d", client], text=True)
    if re.search(r"NEEDED.*(libFoundation\.|_FoundationICU|FoundationInternationalization)", needed):
        sys.exit("benchmark-client loads all of Foundation: import only FoundationEssentials")
    strip(client)


def build_small_client():
    """Builds the same client with the options of Documentation/SmallBinaries.md for the least memory."""
    archive = subprocess.check_output(["gcc", "-print-file-name=libstdc++.a"], text=True).strip()
    if not os.path.isabs(archive):
        return  # The row then reports that the client is not available.
    with tempfile.TemporaryDirectory(prefix="bluejay-benchmark-") as folder:
        os.symlink(archive, f"{folder}/libstdc++.a")
        driver = ["-Xswiftc", "-Xclang-linker", "-Xswiftc", "-no-pie"]
        client = build_swift(HERE, f"{WORK}/small-package", "benchmark-client",
                             "--static-swift-stdlib", *driver, "-Xlinker", f"-L{folder}")
    subprocess.run(["strip", "-o", f"{WORK}/benchmark-client-small", client], check=True)


def build_bus_layer():
    """Builds the client for the rows of the internal bus layer."""
    strip(build_swift(ROOT, f"{ROOT}/.build", "bench-client"))


# ---- One program against one daemon -------------------------------------------------------------

class Bus:
    """A private dbus-daemon."""

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="bluejay-benchmark-")
        socket = f"{self.folder.name}/socket"
        with open(f"{self.folder.name}/bus.conf", "w") as file:
            file.write(CONFIGURATION.format(socket=socket))
        self.process = subprocess.Popen(
            ["dbus-daemon", f"--config-file={self.folder.name}/bus.conf", "--nofork",
             "--print-address=1"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        address = self.process.stdout.readline().strip()
        self.environment = {**os.environ, "DBUS_SYSTEM_BUS_ADDRESS": address}
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()
        self.folder.cleanup()


class Daemon:
    """An instance of C/bluetoothd.c on a bus."""

    def __init__(self, bus, options):
        self.bus, self.options = bus, options

    def __enter__(self):
        self.process = subprocess.Popen(
            [f"{WORK}/bluetoothd", *map(str, self.options)], env=self.bus.environment,
            stdout=subprocess.PIPE, text=True)
        if self.process.stdout.readline().strip() != "ready":
            raise Failed("bluetoothd.c did not start")
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()


class Program:
    """A measured program: it prints `ready`, waits for a line of input, and prints its costs."""

    def __init__(self, command, environment, time_limit):
        self.command, self.environment, self.time_limit = command, environment, time_limit

    def __enter__(self):
        self.process = subprocess.Popen(
            self.command, env=self.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True)
        self.timer = threading.Timer(self.time_limit, self.process.kill)
        self.timer.start()
        return self

    def __exit__(self, *_):
        self.timer.cancel()
        self.process.kill()
        self.process.communicate()

    def line(self):
        """Returns the next line; raises `Unsupported` if the program cannot perform the row."""
        line = self.process.stdout.readline().strip()
        if line.startswith("cannot: "):
            raise Unsupported(line.removeprefix("cannot: "))
        if not line:
            self.process.wait()
            self.timer.cancel()
            errors = self.process.stderr.read().strip().splitlines()
            reason = errors[-1] if errors else f"no answer within {self.time_limit} s"
            raise Failed(reason[:200], self.command)
        return line

    def wait_until_ready(self):
        while self.line() != "ready":
            pass

    def go(self):
        self.process.stdin.write("go\n")
        self.process.stdin.flush()


def sample(bus, command, options=(), time_limit=120):
    """Runs a program against its own daemon and returns the costs that it prints."""
    with Daemon(bus, options), Program(command, bus.environment, time_limit) as program:
        program.wait_until_ready()
        program.go()
        while not (line := program.line()).startswith("{"):
            pass
        return json.loads(line)


def idle_sample(command, options=()):
    """Returns the wake-ups of all threads and the memory of a program that listens but receives nothing."""
    with Bus() as bus, Daemon(bus, options), Program(command, bus.environment, 120) as program:
        program.wait_until_ready()
        program.go()
        while program.line() != "idle":
            pass
        time.sleep(SETTLING_SECONDS)
        process = program.process.pid
        before = wake_ups(process)
        time.sleep(IDLE_SECONDS)
        return {"wake-ups": wake_ups(process) - before, "resident": resident(process)}


def wake_ups(process):
    total = 0
    for thread in os.listdir(f"/proc/{process}/task"):
        with open(f"/proc/{process}/task/{thread}/status") as file:
            total += sum(int(line.split()[1]) for line in file if "ctxt_switches" in line)
    return total


def resident(process):
    with open(f"/proc/{process}/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmRSS:"))


# ---- Instructions -------------------------------------------------------------------------------

def instructions(bus, command, options, name):
    """Counts the instructions of a program from `ready` to its exit."""
    out = f"{WORK}/{name}.callgrind"
    valgrind = ["valgrind", "--tool=callgrind", "--instr-atstart=no", f"--callgrind-out-file={out}"]
    # Deterministic hashing: with random seeds, the cost of dictionaries varies by 5 %.
    environment = {**bus.environment, "BENCHMARK_IS_COUNTED": "1", "SWIFT_DETERMINISTIC_HASHING": "1"}
    with Daemon(bus, options), Program([*valgrind, *command], environment, TIME_LIMIT) as program:
        program.wait_until_ready()
        process = program.process
        subprocess.run(["vgdb", f"--pid={process.pid}", "instrumentation", "on"], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, errors = process.communicate("go\n")
    with open(out) as file:
        totals = re.search(r"^(?:summary|totals): (\d+)", file.read(), re.M)
    if process.returncode != 0 or not totals:
        raise Failed(f"exited with status {process.returncode}: {errors[-300:]}", command)
    return int(totals.group(1))


def instructions_of_one(make_command, make_options, lengths, name):
    """Counts the instructions of one operation, as the difference between a long run and a short run. The
    difference excludes the setup."""
    counts = []
    with Bus() as bus:
        for count in lengths:
            counts.append(instructions(bus, make_command(count), make_options(count), name))
    return (counts[1] - counts[0]) / (lengths[1] - lengths[0])


def in_parallel(jobs):
    """Runs jobs in parallel, at most 4 and one per processor. This does not affect instruction counts."""
    with ThreadPoolExecutor(max(1, min(4, os.cpu_count() or 1))) as pool:
        return list(pool.map(lambda job: job(), jobs))

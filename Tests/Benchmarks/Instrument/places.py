"""Measures the clients against the simulated bluetoothd, and against the real one in the virtual machine.

The peripheral is benchmark-client on the second adapter. Both daemons are slower than their clients, so
only the ranking of the clients is meaningful."""
import json
import os
import subprocess
import sys
import tempfile

from instrument import HERE, ROOT, WORK, Failed, Program, Unsupported, build_swift
from results import Results
from rows import ASYNC, BLEAK, BLOCKING, CALLBACKS, GLIB, PEERS, TASK, Row, command, count_for

PEER = "00:AA:01:01:00:01"  # The address of hci1, in the simulator and in the virtual machine.
SIMULATED, REAL = "the simulated BlueZ", "the real BlueZ"
CLIENTS = [BLOCKING, GLIB, CALLBACKS, ASYNC, TASK, BLEAK]
ROWS = [Row("read, 20 bytes", "read", CLIENTS, (100, 200)),
        Row("write, 20 bytes", "write", CLIENTS, (100, 200)),
        Row("write without response, 20 bytes", "command", CLIENTS, (100, 200)),
        Row("notification, 20 bytes", "notify", [BLOCKING, GLIB, CALLBACKS, ASYNC, BLEAK],
            (100, 200))]
ROUNDS, TIME_LIMIT = 2, 90


def sample(order, environment):
    with Program(order, environment, TIME_LIMIT) as program:
        program.wait_until_ready()
        program.go()
        while not (line := program.line()).startswith("{"):
            pass
        return json.loads(line)


def measure(place, python, is_quick, file):
    """Measures all rows on the current system bus and saves the results."""
    results = Results()
    environment = {**os.environ, "BENCHMARK_PEER": PEER}
    server_command = [f"{WORK}/benchmark-client", "peripheral", "hci1", "1", "20"]
    with Program(server_command, dict(os.environ), 3600) as peripheral:
        peripheral.wait_until_ready()
        for row in ROWS:
            for _ in range(1 if is_quick else ROUNDS):
                for client in row.clients:
                    take(results, f"{row.name}, {place}", row, client, python, environment, is_quick)
    results.save(file)


def take(results, name, row, client, python, environment, is_quick):
    if client in results.refusals.get(name, {}):
        return
    if client in PEERS and not python:
        return results.refuse(name, client, "not installed; run .ci/prepare benchmarks")
    count = count_for(client, row.count[0 if is_quick else 1])
    try:
        results.add(name, client, sample(command(client, row, count, python), environment))
    except Unsupported as reason:
        results.refuse(name, client, str(reason))
    except Failed as failure:
        print(f"{name}, {client}: {failure}", file=sys.stderr, flush=True)
        results.refuse(name, client, f"it failed ({failure.reason})")


def play(place, is_quick):
    """Runs `run --inside` in the simulator or in the virtual machine; returns its results."""
    with tempfile.TemporaryDirectory(prefix="bluejay-benchmark-") as folder:
        file = f"{folder}/results.json"
        order = [f"{HERE}/run", "--inside", place, *(["--quick"] if is_quick else []), "--json"]
        if place == SIMULATED:
            simulator = build_swift(ROOT, f"{ROOT}/.build", "bluez-simulator")
            launch_command = [simulator, "--", *order, file]
        else:
            launch_command = [f"{ROOT}/Tests/RealBlueZ/run", "--out", folder, "--", "sh", "-c",
                              " ".join(f"'{word}'" for word in order) + " $RESULTS/results.json"]
        done = subprocess.run(launch_command, stdin=subprocess.DEVNULL, check=False)
        if done.returncode != 0 or not os.path.exists(file):
            raise Failed(f"{place}: exited with status {done.returncode}")
        return Results().load(file)

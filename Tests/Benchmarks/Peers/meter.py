"""Measures the programs of the peers; the counterpart of C/measure.h."""
import json
import os
import resource
import struct
import sys
import time

row, count = sys.argv[1], int(sys.argv[2])
size = int(sys.argv[3]) if len(sys.argv) > 3 else 20
ADDRESS = os.environ.get("BENCHMARK_PEER", "C0:00:00:00:00:01")
DEVICE = "/org/bluez/hci0/dev_" + ADDRESS.replace(":", "_")
UUIDS = [f"12345678-1234-5678-1234-56789abcdef{number}" for number in range(6)]
SERVICE, VALUE, NOTIFIER, CONTROL = UUIDS[0], UUIDS[1], UUIDS[2], UUIDS[4]
payload = bytes(number & 255 for number in range(size))
order = b"N" + struct.pack("<IH", count, size)
now = time.monotonic
latencies = []
_begun = [0.0, 0.0]


def cannot(reason):
    print(f"cannot: {reason}", flush=True)
    os._exit(0)


def _processor():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def _kilobytes(key):
    with open("/proc/self/status") as file:
        return next((int(line.split()[1]) for line in file if line.startswith(key)), 0)


def wait_and_begin():
    print("ready", flush=True)
    sys.stdin.readline()
    _begun[:] = now(), _processor()


def finish(done=count, lost=0):
    wall, cpu = now() - _begun[0], _processor() - _begun[1]
    found = {"count": done, "wall": wall, "cpu": cpu, "lost": lost,
             "resident": _kilobytes("VmRSS:"), "peak": _kilobytes("VmHWM:")}
    if latencies:
        latencies.sort()
        found |= {"minimum": latencies[0] * 1e6, "median": latencies[len(latencies) // 2] * 1e6,
                  "p99": latencies[len(latencies) * 99 // 100] * 1e6}
    print(json.dumps(found), flush=True)
    os._exit(0)


class Numbers:
    """Counts missing notifications; they are numbered from 0."""

    def __init__(self):
        self.expected = self.lost = 0

    def take(self, data):
        (number,) = struct.unpack_from("<I", bytes(data))
        if number > self.expected:
            self.lost += number - self.expected
        self.expected = number + 1
        return self.expected == count

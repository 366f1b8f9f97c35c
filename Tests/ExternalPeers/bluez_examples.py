#!/usr/bin/env python3
"""Runs BlueZ's own example-gatt-server and example-advertisement on one adapter.

They are part of Debian's package bluez-test-scripts and need python3-dbus and python3-gi. The files are not
modified. The examples use the first adapter that they find, so this program replaces their function that
finds it. The package need not be installed: --examples (or BLUEZ_EXAMPLES) names the folder of the two files.

    180D  2A37 notify (06 or 0e, then 90-130, every second), 2A38 read (01), 2A39 write (01; other values
          fail with 0x80)
    180F  2A19 read, notify (bluetoothd handles it itself: a client sees org.bluez.Battery1)
    12345678-1234-5678-1234-56789abcdef0   …def1 read, write, writable-auxiliaries; …def3 encrypted,
          …def5 secure; descriptors …def2, …def4, …def6, and 2901
    Advertised: TestAdvertisement, 180D, 180F, manufacturer ffff 00010203, service data 9999 0001020304

Prints the output of the examples as one JSON object per line. Ends on a line `quit` on standard input, at the
end of standard input, and on SIGTERM. Exits with 1 and a message if it fails, and with 77 if a requirement is
missing.
"""

import argparse
import importlib.machinery
import importlib.util
import json
import os
import signal
import subprocess
import sys
import threading
import time

INSTALLED = "/usr/share/doc/bluez-test-scripts/examples"
SERVER, ADVERTISEMENT = "example-gatt-server", "example-advertisement"
SIGNALS = {signal.SIGTERM, signal.SIGINT, signal.SIGUSR1}
started = time.monotonic()


def report(event, **values):
    seconds = round(time.monotonic() - started, 3)
    sys.stdout.write(json.dumps({"event": event, "seconds": seconds, **values}) + "\n")
    sys.stdout.flush()


def skip(reason):
    print(f"skipped: {reason}", file=sys.stderr)
    sys.exit(77)


def play(file, adapter):
    """Runs an example in this process, on the given adapter."""
    # The parent process blocks these signals and waits for them; here, they must end the process.
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
    sys.dont_write_bytecode = True
    name = os.path.basename(file).replace("-", "_")
    loader = importlib.machinery.SourceFileLoader(name, file)
    example = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(example)
    example.find_adapter = lambda _: f"/org/bluez/{adapter}"
    example.main()


def find_python():
    """Returns a Python with dbus and gi. A venv rarely has them, because they are Debian packages."""
    for python in (sys.executable, "/usr/bin/python3"):
        try:
            if subprocess.run([python, "-c", "import dbus, gi"], capture_output=True).returncode == 0:
                return python
        except FileNotFoundError:
            pass
    return skip("no Python has both dbus and gi (python3-dbus, python3-gi)")


class Example:
    """An example as a child process; reports its output."""

    def __init__(self, name, options, python):
        self.name = name
        self.registered = threading.Event()
        self.is_expected_to_run = True
        file = os.path.join(options.examples, name)
        self.process = subprocess.Popen(
            [python, "-u", __file__, "--play", file, "--adapter", options.adapter],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.errors = ""
        threading.Thread(target=self.read_errors, daemon=True).start()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            report("said", by=self.name, line=line.rstrip())
            if line.rstrip().endswith(" registered"):
                self.registered.set()
        self.process.wait()
        self.registered.set()
        if self.is_expected_to_run:
            # Wakes the main thread, which waits for this signal too.
            os.kill(os.getpid(), signal.SIGUSR1)

    def read_errors(self):
        for line in self.process.stderr:
            self.errors += line

    def wait_until_registered(self):
        if not self.registered.wait(30) or self.process.poll() is not None:
            sys.exit(f"bluez_examples: {self.name} failed to register: {self.errors.strip()[-300:]}")

    def end(self):
        self.is_expected_to_run = False
        self.process.terminate()
        self.process.wait()


def wait_for_quit():
    for line in sys.stdin:
        if line.strip() == "quit":
            break
    os.kill(os.getpid(), signal.SIGTERM)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--adapter", default="hci1")
    parser.add_argument("--examples", default=os.environ.get("BLUEZ_EXAMPLES", INSTALLED),
                        metavar="FOLDER")
    parser.add_argument("--play", metavar="FILE", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.play:
        return play(options.play, options.adapter)
    for name in (SERVER, ADVERTISEMENT):
        if not os.path.isfile(os.path.join(options.examples, name)):
            skip(f"{options.examples} has no {name} (package bluez-test-scripts)")
    python = find_python()
    signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    examples = []
    try:
        for name in (SERVER, ADVERTISEMENT):
            examples.append(Example(name, options, python))
            examples[-1].wait_until_registered()
        report("advertising", name="TestAdvertisement")
        threading.Thread(target=wait_for_quit, daemon=True).start()
        if signal.sigwait(SIGNALS) == signal.SIGUSR1:
            ended = next(each for each in examples if each.process.poll() is not None)
            sys.exit(f"bluez_examples: {ended.name} exited: {ended.errors.strip()[-300:]}")
    finally:
        for each in examples:
            each.end()
    return None


if __name__ == "__main__":
    main()

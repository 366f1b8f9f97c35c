"""A peripheral as a child process: it reads one command per line and prints one JSON object per line."""

import json
import queue
import shlex
import subprocess
import threading


class PeripheralFailure(Exception):
    """The peripheral failed, or did not report an expected event."""


class PeripheralProcess:
    """Starts a peripheral, for example `acceptance-peripheral --adapter hci1`."""

    def __init__(self, command, timeout, on_event=lambda event: None):
        self.timeout = timeout
        self.on_event = on_event
        self.events = queue.Queue()
        self.process = subprocess.Popen(
            shlex.split(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            event = json.loads(line)
            self.on_event(event)
            self.events.put(event)
        self.events.put(None)

    def send(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()

    def wait(self, name, **values):
        """Waits for the next event with this name and these values, and returns it; discards earlier events."""
        while True:
            try:
                event = self.events.get(timeout=self.timeout)
            except queue.Empty:
                raise PeripheralFailure(
                    f"the peripheral did not report {name!r} within {self.timeout} s") from None
            if event is None:
                raise PeripheralFailure(f"the peripheral exited before it reported {name!r}")
            if event.get("event") == "error":
                raise PeripheralFailure(f"the peripheral failed: {event}")
            if event.get("event") == name and values.items() <= event.items():
                return event

    def end(self):
        """Closes the input, which ends most peripherals; sends SIGTERM to those that continue."""
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass
        try:
            status = self.process.wait(3)
        except subprocess.TimeoutExpired:
            self.process.terminate()
            status = self.wait_for_end()
        if status != 0:
            raise PeripheralFailure(f"the peripheral exited with status {status}")

    def wait_for_end(self):
        try:
            return self.process.wait(self.timeout)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise PeripheralFailure("the peripheral did not exit after SIGTERM") from None

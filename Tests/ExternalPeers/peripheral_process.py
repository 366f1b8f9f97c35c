"""The peripheral under test as a child process: one JSON object a line from it, a word a line to it."""

import json
import queue
import shlex
import subprocess
import threading


class PeripheralFailure(Exception):
    """The peripheral did not do what it was asked for."""


class PeripheralProcess:
    """Starts a peripheral, for example `acceptance-peripheral --adapter hci1`."""

    def __init__(self, command, timeout, heard=lambda event: None):
        self.timeout = timeout
        self.heard = heard
        self.events = queue.Queue()
        self.process = subprocess.Popen(
            shlex.split(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            event = json.loads(line)
            self.heard(event)
            self.events.put(event)
        self.events.put(None)

    def say(self, word):
        self.process.stdin.write(word + "\n")
        self.process.stdin.flush()

    def wait(self, name, **values):
        """The next event of that name and values; what came before it is passed over."""
        while True:
            try:
                event = self.events.get(timeout=self.timeout)
            except queue.Empty:
                raise PeripheralFailure(f"no {name!r} from the peripheral in time") from None
            if event is None:
                raise PeripheralFailure(f"the peripheral ended before {name!r}")
            if event.get("event") == "error":
                raise PeripheralFailure(f"the peripheral says: {event}")
            if event.get("event") == name and values.items() <= event.items():
                return event

    def end(self):
        """Closes its input, which ends most; one that a person's script drives ends by SIGTERM."""
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
            raise PeripheralFailure(f"the peripheral ended with status {status}")

    def wait_for_end(self):
        try:
            return self.process.wait(self.timeout)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise PeripheralFailure("the peripheral does not end") from None

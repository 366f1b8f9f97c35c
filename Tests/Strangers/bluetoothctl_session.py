#!/usr/bin/env python3
"""Drives Debian's bluetoothctl as a person would: show, scan, info, connect, read, notify.

The system bus decides whose `org.bluez` this is: the simulator's or a real bluetoothd's. Each
command waits for what bluetoothctl must print next, never for a time alone. Prints the commands and
what came; ends with 0 when all came, with 1 and a sentence on standard error when something did
not, with 77 when bluetoothctl is not installed.

    bluez-simulator -- bluetoothctl_session.py --service 180D --read 2A38=02 --notify 2A37 --count 2
"""

import argparse
import os
import re
import select
import shutil
import subprocess
import sys
import time

NOISE = re.compile(r"\x1b\[[0-9;]*[A-Za-z]|[\x01\x02\x08]")
ADDRESS = r"(?:[0-9A-F]{2}:){5}[0-9A-F]{2}"


class Failure(Exception):
    """bluetoothctl did not print what it must."""


class Session:
    """One bluetoothctl with its standard input open, and what it printed and nobody took yet."""

    def __init__(self, timeout):
        self.timeout = timeout
        self.printed = ""
        self.process = subprocess.Popen(
            ["bluetoothctl"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, env={**os.environ, "TERM": "dumb"})

    def send(self, command):
        print(f"> {command.splitlines()[0]}", flush=True)
        self.process.stdin.write(command.encode() + b"\n")
        self.process.stdin.flush()

    def expect(self, pattern):
        """Waits for the pattern, takes all that was printed up to its end, and shows the match."""
        deadline = time.monotonic() + self.timeout
        while True:
            match = re.search(pattern, self.printed)
            if match:
                before, self.printed = self.printed[:match.start()], self.printed[match.end():]
                print(f"  {match.group(0).strip()}", flush=True)
                return match, before
            self.read_until(deadline, pattern)

    def read_until(self, deadline, pattern):
        remaining = deadline - time.monotonic()
        output = self.process.stdout.fileno()
        if remaining <= 0 or not select.select([output], [], [], remaining)[0]:
            raise Failure(f"no {pattern!r} in {self.timeout} s; printed since:\n{self.printed}")
        data = os.read(output, 65536)
        if not data:
            raise Failure(f"ended before {pattern!r}; printed since:\n{self.printed}")
        # It returns to the start of the line to print over its prompt: a new line for us.
        self.printed += NOISE.sub("", data.decode(errors="replace")).replace("\r", "\n")

    def local(self, command):
        """The whole output of a command that asks nobody: `version` after it marks its end."""
        self.send(f"{command}\nversion")
        _, output = self.expect(r"Version \d+\.\d+")
        return output

    def quit(self):
        if self.process.poll() is None:
            self.send("quit")
            self.process.stdin.close()
            try:
                status = self.process.wait(self.timeout)
            except subprocess.TimeoutExpired:
                self.process.kill()
                raise Failure("it does not quit") from None
            if status != 0:
                raise Failure(f"it ended with status {status}")


def check(condition, sentence):
    if not condition:
        raise Failure(sentence)


def uuid(text):
    """The long, lower-case form of a UUID that may be short."""
    short = len(text) == 4
    return f"0000{text}-0000-1000-8000-00805f9b34fb".lower() if short else text.lower()


def find(session, service):
    """The address of the first device whose `info` names the service."""
    session.send("scan le")
    session.expect(r"Discovery started")
    asked = set()
    while True:
        match, _ = session.expect(rf"\[(?:NEW|CHG)\] Device ({ADDRESS})")
        address = match.group(1)
        information = session.local(f"info {address}")
        # What `info` printed is taken; a device seen meanwhile is still in its text.
        session.printed = "\n".join(
            line for line in information.splitlines() if "] Device " in line) + session.printed
        if f"({service})" in information:
            return address, information
        if address not in asked:
            asked.add(address)
            print(f"  {address} is without the service", flush=True)


def hexadecimal(session):
    """The next line of a hexadecimal dump (one line is 16 bytes)."""
    match, _ = session.expect(r"(?m)^  ((?:[0-9a-f]{2} )+) ")
    return bytes.fromhex(match.group(1))


def run(options, session):
    session.expect(r"Agent registered")
    if options.controller:
        session.send(f"select {options.controller}")
    shown = session.local("show")
    for needed in (rf"Controller {ADDRESS}", r"Powered: yes", r"Discovering: no"):
        check(re.search(needed, shown), f"show says no {needed!r}:\n{shown}")

    service = uuid(options.service)
    address, information = find(session, service)
    check("Connected: no" in information, f"info says no 'Connected: no':\n{information}")
    session.send("scan off")
    session.expect(r"Discovery stopped")

    session.send(f"connect {address}")
    session.expect(r"Connection successful")
    session.expect(rf"\[CHG\] Device {address} ServicesResolved: yes")
    check("Connected: yes" in session.local(f"info {address}"), "info does not say connected")

    attributes = session.local("gatt.list-attributes")
    check(service in attributes, f"the service is not among the attributes:\n{attributes}")

    for text in options.read:
        characteristic, _, expected = text.partition("=")
        check(uuid(characteristic) in attributes, f"{characteristic} is not among the attributes")
        session.send(f"gatt.select-attribute {uuid(characteristic)}")
        session.send("gatt.read")
        session.expect(r"Attempting to read")
        value = hexadecimal(session).hex()
        check(not expected or value == expected.lower(), f"read {value}, not {expected}")

    if options.count:
        session.send(f"gatt.select-attribute {uuid(options.notify)}")
        session.send("gatt.notify on")
        session.expect(r"Notify started")
        for _ in range(options.count):
            session.expect(r"\[CHG\] Attribute \S+ Value:")
            hexadecimal(session)
        session.send("gatt.notify off")
        session.expect(r"Notify stopped")

    session.send(f"disconnect {address}")
    session.expect(r"Successful disconnected")
    session.expect(rf"\[CHG\] Device {address} Connected: no")
    session.quit()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--controller", metavar="ADDRESS", help="default: bluetoothctl's own choice")
    parser.add_argument("--service", default="180D")
    parser.add_argument("--read", action="append", default=[], metavar="UUID[=VALUE]")
    parser.add_argument("--notify", default="2A37", metavar="UUID")
    parser.add_argument("--count", type=int, default=2, help="notifications to wait for")
    parser.add_argument("--timeout", type=float, default=30, help="seconds for each step")
    options = parser.parse_args()
    if shutil.which("bluetoothctl") is None:
        print("skipped: bluetoothctl is not installed here", file=sys.stderr)
        sys.exit(77)
    session = Session(options.timeout)
    try:
        run(options, session)
    except (Failure, OSError) as error:
        sys.exit(f"bluetoothctl_session: {error}")
    finally:
        if session.process.poll() is None:
            session.process.kill()
            session.process.wait()
    print("all of it came")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Drives Debian's bluetoothctl as a person would: show, scan, info, connect, read, notify.

The system bus decides whose `org.bluez` this is: the simulator's or a real bluetoothd's. Each
command waits for what bluetoothctl must print next, never for a time alone. Prints the commands and
what came; ends with 0 when all came, with 1 and a sentence on standard error when something did
not, with 77 when bluetoothctl is not installed.

    bluez-simulator -- bluetoothctl_session.py --service 180D --read 2A38=02 --notify 2A37 --count 2

With --peripheral it starts the peripheral too, and asks it for what only that end can do:

    bluez-simulator -- bluetoothctl_session.py --service FFE0 --count 2 \\
        --peripheral 'acceptance-peripheral --adapter hci1' --controller 00:AA:01:00:00:00 \\
        --read FFE1 --read-long FFE2 --write FFE3=0102 --command FFE4=0304 --refuse FFE8=05 \\
        --notify FFE5 --indicate FFE6 --service-changed FFF0 --encrypted FFE7 --dropped
"""

import argparse
import os
import re
import select
import shutil
import subprocess
import sys
import time

from peripheral_process import PeripheralFailure, PeripheralProcess

NOISE = re.compile(r"\x1b\[[0-9;]*[A-Za-z]|[\x01\x02\x08]")
ADDRESS = r"(?:[0-9A-F]{2}:){5}[0-9A-F]{2}"


class Failure(Exception):
    """bluetoothctl did not print what it must."""


class Session:
    """One bluetoothctl with its standard input open, and what it printed and nobody took yet."""

    def __init__(self, timeout, is_lenient=False):
        self.timeout = timeout
        self.is_lenient = is_lenient
        self.printed = ""
        self.process = subprocess.Popen(
            # Its agent accepts a pairing without numbers by itself.
            ["bluetoothctl", "--agent", "NoInputNoOutput"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
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
        # bluetoothctl returns to the start of the line to print over its prompt: treat that as a new line.
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
        # Discard the output of `info`; a device found meanwhile is still in its text.
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


def choose(session, attributes, text):
    check(uuid(text) in attributes, f"{text} is not among the attributes")
    session.send(f"gatt.select-attribute {uuid(text)}")


def read(session, attributes, text):
    characteristic, _, expected = text.partition("=")
    choose(session, attributes, characteristic)
    session.send("gatt.read")
    session.expect(r"Attempting to read")
    # bluetoothctl prints the value twice: as a change of the property, and as the result.
    value, again = hexadecimal(session).hex(), hexadecimal(session).hex()
    check(value == again, f"read {value}, then {again}")
    check(not expected or value == expected.lower(), f"read {value}, not {expected}")


def read_long(session, attributes, text):
    choose(session, attributes, text)
    session.send("gatt.read")
    session.expect(r"Attempting to read")
    both = b""
    while len(both) < 2 * 512:
        both += hexadecimal(session)
    check(both[:512] == both[512:], f"{text} has no 512 bytes: {both.hex()}")


def write(session, attributes, text, kind):
    characteristic, _, value = text.partition("=")
    choose(session, attributes, characteristic)
    octets = " ".join(f"0x{each:02x}" for each in bytes.fromhex(value))
    session.send(f'gatt.write "{octets}" 0 {kind}')
    session.expect(r"Attempting to write")


def pair(session, attributes, text):
    """An encrypted read, for which bluetoothctl asks whether it may pair."""
    characteristic, _, expected = text.partition("=")
    choose(session, attributes, characteristic)
    session.send("gatt.read")
    match, _ = session.expect(r"Accept pairing \(yes/no\):|\[CHG\] Attribute \S+ Value:")
    # Without a question they are paired from an earlier run.
    if match.group(0).startswith("Accept"):
        session.send("yes")
    value = hexadecimal(session).hex()
    check(not expected or value == expected.lower(), f"read {value}, not {expected}")


def exchange(options, session, attributes, peripheral):
    for text in options.read:
        read(session, attributes, text)
    for text in options.read_long:
        read_long(session, attributes, text)
    for kind, texts in (("request", options.write), ("command", options.command)):
        for text in texts:
            write(session, attributes, text, kind)
            # bluetoothctl prints nothing after a write; the peripheral reports it.
            if peripheral is not None:
                peripheral.wait("written", value=text.partition("=")[2].lower())
    for text in options.refuse:
        write(session, attributes, text, "request")
        session.expect(r"Failed to write: org\.bluez\.Error\.Failed")
        if peripheral is not None:
            peripheral.wait("refused", value=text.partition("=")[2].lower())


def listen(session, attributes, peripheral, text, count, word):
    choose(session, attributes, text)
    session.send("gatt.notify on")
    session.expect(r"Notify started")
    if peripheral is not None:
        peripheral.wait("subscribed")
    for _ in range(count):
        if peripheral is not None:
            peripheral.say(word)
        session.expect(r"\[CHG\] Attribute \S+ Value:")
        hexadecimal(session)
    session.send("gatt.notify off")
    session.expect(r"Notify stopped")


def connect(session, address):
    session.send(f"connect {address}")
    session.expect(r"Connection successful")
    session.expect(rf"\[CHG\] Device {address} ServicesResolved: yes")
    shown = session.local(f"info {address}")
    if "Connected: yes" not in shown and session.is_lenient:
        print("  bluetoothd has not told bluetoothctl that it is connected", flush=True)
        return
    check("Connected: yes" in shown, f"info does not say connected:\n{shown}")


def use(options, session, service, peripheral):
    attributes = session.local("gatt.list-attributes")
    check(service in attributes, f"the service is not among the attributes:\n{attributes}")
    exchange(options, session, attributes, peripheral)
    if options.count:
        listen(session, attributes, peripheral, options.notify, options.count, "notify")
    if options.indicate:
        listen(session, attributes, peripheral, options.indicate, 1, "indicate")
        peripheral.wait("confirmed")
    if options.service_changed:
        for word, sign in (("add-service", "NEW"), ("remove-service", "DEL")):
            peripheral.say(word)
            session.expect(rf"\[{sign}\] Primary Service.*\n.*\n\s*{uuid(options.service_changed)}")
    if options.encrypted:
        pair(session, attributes, options.encrypted)


def run(options, session, peripheral):
    session.expect(r"Agent registered")
    if options.encrypted:
        session.send("default-agent")
        session.expect(r"Default agent request successful")
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

    connect(session, address)
    use(options, session, service, peripheral)
    if options.dropped:
        peripheral.say("disconnect")
        session.expect(rf"\[CHG\] Device {address} Connected: no")
        connect(session, address)

    session.send(f"disconnect {address}")
    # BlueZ 5.66 prints the result before the change; 5.82 prints it afterwards, with another text.
    done = r"Successful disconnected|Disconnection successful"
    changed = rf"\[CHG\] Device {address} Connected: no"
    first, _ = session.expect(f"{done}|{changed}")
    session.expect(done if re.fullmatch(changed, first.group(0)) else changed)
    session.quit()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--controller", metavar="ADDRESS", help="default: bluetoothctl's own choice")
    parser.add_argument("--service", default="180D")
    parser.add_argument("--read", action="append", default=[], metavar="UUID[=VALUE]")
    parser.add_argument("--read-long", action="append", default=[], metavar="UUID",
                        help="a read that must give 512 bytes")
    parser.add_argument("--write", action="append", default=[], metavar="UUID=VALUE")
    parser.add_argument("--command", action="append", default=[], metavar="UUID=VALUE",
                        help="write without response")
    parser.add_argument("--refuse", action="append", default=[], metavar="UUID=VALUE",
                        help="a write that must fail; bluetoothctl does not say why")
    parser.add_argument("--encrypted", metavar="UUID[=VALUE]", help="a read that pairs")
    parser.add_argument("--one-daemon", action="store_true",
                        help="both ends are one real bluetoothd: 5.66 then forgets at times to tell "
                        "that the device is connected, which is no failure")
    parser.add_argument("--peripheral", metavar="COMMAND", help="what to start, and to talk to")
    parser.add_argument("--indicate", metavar="UUID", help="an indication that is asked for")
    parser.add_argument("--service-changed", metavar="UUID",
                        help="a service that comes and goes while connected")
    parser.add_argument("--dropped", action="store_true",
                        help="the peripheral ends the link; then connect again")
    parser.add_argument("--notify", default="2A37", metavar="UUID")
    parser.add_argument("--count", type=int, default=2, help="notifications to wait for")
    parser.add_argument("--timeout", type=float, default=30, help="seconds for each step")
    options = parser.parse_args()
    if not options.peripheral and (options.indicate or options.service_changed or options.dropped):
        parser.error("--indicate, --service-changed and --dropped need --peripheral")
    if shutil.which("bluetoothctl") is None:
        print("skipped: bluetoothctl is not installed here", file=sys.stderr)
        sys.exit(77)
    peripheral = session = None
    try:
        if options.peripheral:
            peripheral = PeripheralProcess(
                options.peripheral, options.timeout,
                lambda event: sys.stdout.write(f"    peripheral: {event}\n"))
            peripheral.wait("advertising")
        session = Session(options.timeout, options.one_daemon)
        run(options, session, peripheral)
        if peripheral is not None:
            peripheral.end()
    except (Failure, PeripheralFailure, OSError) as error:
        sys.exit(f"bluetoothctl_session: {error}")
    finally:
        for each in (session, peripheral):
            if each is not None and each.process.poll() is None:
                each.process.kill()
                each.process.wait()
    print("all of it came")


if __name__ == "__main__":
    main()

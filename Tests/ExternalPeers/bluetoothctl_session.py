#!/usr/bin/env python3
"""Controls bluetoothctl interactively: show, scan, info, connect, read, write, notify, disconnect.

`org.bluez` on the system bus is either the simulator or a real bluetoothd. After each command, it waits for
the expected output of bluetoothctl, never for a fixed time. Prints the commands and the matched output. Exits
with 0 if all expected output appears; with 1 and a message on standard error if some does not; with 77 if
bluetoothctl is not installed.

    bluez-simulator -- bluetoothctl_session.py --service 180D --read 2A38=02 --notify 2A37 --count 2

With --peripheral, it also starts the peripheral, and sends it commands for the actions of that side:

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
    """bluetoothctl did not print the expected output."""


class Session:
    """A running bluetoothctl, and its output that no call has consumed yet."""

    # The default agent accepts pairing without a passkey; bluetoothctl's own one asks for it.
    def __init__(self, timeout, is_lenient=False, agent="NoInputNoOutput"):
        self.timeout = timeout
        self.is_lenient = is_lenient
        self.printed = ""
        self.process = subprocess.Popen(
            ["bluetoothctl", *(["--agent", agent] if agent else [])], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env={**os.environ, "TERM": "dumb"})

    def send(self, command):
        print(f"> {command.splitlines()[0]}", flush=True)
        self.process.stdin.write(command.encode() + b"\n")
        self.process.stdin.flush()

    def expect(self, pattern):
        """Waits for the pattern, consumes the output up to its end, and prints the match."""
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
            raise Failure(f"no {pattern!r} within {self.timeout} s; unmatched output:\n{self.printed}")
        data = os.read(output, 65536)
        if not data:
            raise Failure(f"bluetoothctl exited before {pattern!r}; unmatched output:\n{self.printed}")
        # bluetoothctl overwrites its prompt after a carriage return: treat that as a new line.
        self.printed += NOISE.sub("", data.decode(errors="replace")).replace("\r", "\n")

    def local(self, command):
        """Returns the output of a command that needs no D-Bus call; a following `version` marks its end."""
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
                raise Failure("bluetoothctl does not quit") from None
            if status != 0:
                raise Failure(f"bluetoothctl exited with status {status}")


def check(condition, message):
    if not condition:
        raise Failure(message)


def uuid(text):
    """Returns a UUID of 4 or 36 characters in its 36-character, lower-case form."""
    short = len(text) == 4
    return f"0000{text}-0000-1000-8000-00805f9b34fb".lower() if short else text.lower()


def find(session, service):
    """Scans; returns the address and the `info` of the first device with the service."""
    session.send("scan le")
    session.expect(r"Discovery started")
    reported = set()
    while True:
        match, _ = session.expect(rf"\[(?:NEW|CHG)\] Device ({ADDRESS})")
        address = match.group(1)
        information = session.local(f"info {address}")
        # Discard the output of `info`, but keep its lines about devices found meanwhile.
        session.printed = "\n".join(
            line for line in information.splitlines() if "] Device " in line) + session.printed
        if f"({service})" in information:
            return address, information
        if address not in reported:
            reported.add(address)
            print(f"  {address} does not have the service", flush=True)


def hexadecimal(session):
    """Returns the bytes of the next line of a hexadecimal dump (16 bytes per line)."""
    match, _ = session.expect(r"(?m)^  ((?:[0-9a-f]{2} )+) ")
    return bytes.fromhex(match.group(1))


def choose(session, attributes, text):
    check(uuid(text) in attributes, f"{text} is missing from the attributes")
    session.send(f"gatt.select-attribute {uuid(text)}")


def read(session, attributes, text):
    characteristic, _, expected = text.partition("=")
    choose(session, attributes, characteristic)
    session.send("gatt.read")
    session.expect(r"Attempting to read")
    # bluetoothctl prints the value twice: as a property change and as the result.
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
    check(both[:512] == both[512:], f"{text} does not have 512 bytes: {both.hex()}")


def write(session, attributes, text, kind):
    characteristic, _, value = text.partition("=")
    choose(session, attributes, characteristic)
    octets = " ".join(f"0x{each:02x}" for each in bytes.fromhex(value))
    session.send(f'gatt.write "{octets}" 0 {kind}')
    session.expect(r"Attempting to write")


def pair(session, attributes, text):
    """Performs an encrypted read; accepts the pairing if bluetoothctl prompts for it."""
    characteristic, _, expected = text.partition("=")
    choose(session, attributes, characteristic)
    session.send("gatt.read")
    match, _ = session.expect(r"Accept pairing \(yes/no\):|\[CHG\] Attribute \S+ Value:")
    # Devices still paired from an earlier run cause no prompt.
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
            # bluetoothctl does not print the success of a write, but the peripheral reports it.
            if peripheral is not None:
                peripheral.wait("written", value=text.partition("=")[2].lower())
    for text in options.refuse:
        write(session, attributes, text, "request")
        session.expect(r"Failed to write: org\.bluez\.Error\.Failed")
        if peripheral is not None:
            peripheral.wait("refused", value=text.partition("=")[2].lower())


def listen(session, attributes, peripheral, text, count, command):
    choose(session, attributes, text)
    session.send("gatt.notify on")
    session.expect(r"Notify started")
    if peripheral is not None:
        peripheral.wait("subscribed")
    for _ in range(count):
        if peripheral is not None:
            peripheral.send(command)
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
        print("  bluetoothd did not signal the connection to bluetoothctl", flush=True)
        return
    check("Connected: yes" in shown, f"info does not show Connected: yes:\n{shown}")


def use(options, session, service, peripheral):
    attributes = session.local("gatt.list-attributes")
    check(service in attributes, f"the service is missing from the attributes:\n{attributes}")
    exchange(options, session, attributes, peripheral)
    if options.count:
        listen(session, attributes, peripheral, options.notify, options.count, "notify")
    if options.indicate:
        listen(session, attributes, peripheral, options.indicate, 1, "indicate")
        peripheral.wait("confirmed")
    if options.service_changed:
        for command, sign in (("add-service", "NEW"), ("remove-service", "DEL")):
            peripheral.send(command)
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
        check(re.search(needed, shown), f"show does not print {needed!r}:\n{shown}")

    service = uuid(options.service)
    address, information = find(session, service)
    check("Connected: no" in information, f"info does not show Connected: no:\n{information}")
    session.send("scan off")
    session.expect(r"Discovery stopped")

    connect(session, address)
    use(options, session, service, peripheral)
    if options.dropped:
        peripheral.send("disconnect")
        session.expect(rf"\[CHG\] Device {address} Connected: no")
        connect(session, address)

    session.send(f"disconnect {address}")
    # BlueZ 5.66 prints the result before the property change; 5.82 prints it afterwards, with another text.
    done = r"Successful disconnected|Disconnection successful"
    changed = rf"\[CHG\] Device {address} Connected: no"
    first, _ = session.expect(f"{done}|{changed}")
    session.expect(done if re.fullmatch(changed, first.group(0)) else changed)
    session.quit()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--controller", metavar="ADDRESS",
                        help="address of the adapter; default: bluetoothctl's choice")
    parser.add_argument("--service", default="180D")
    parser.add_argument("--read", action="append", default=[], metavar="UUID[=VALUE]")
    parser.add_argument("--read-long", action="append", default=[], metavar="UUID",
                        help="read that must return 512 bytes")
    parser.add_argument("--write", action="append", default=[], metavar="UUID=VALUE")
    parser.add_argument("--command", action="append", default=[], metavar="UUID=VALUE",
                        help="write without response")
    parser.add_argument("--refuse", action="append", default=[], metavar="UUID=VALUE",
                        help="write that must fail; bluetoothctl does not print the error code")
    parser.add_argument("--encrypted", metavar="UUID[=VALUE]", help="read that pairs")
    parser.add_argument("--one-daemon", action="store_true",
                        help="one real bluetoothd is both ends: tolerate that 5.66 sometimes does not "
                        "signal the connection")
    parser.add_argument("--peripheral", metavar="COMMAND", help="command line of the peripheral to start")
    parser.add_argument("--indicate", metavar="UUID",
                        help="characteristic that the peripheral indicates on request")
    parser.add_argument("--service-changed", metavar="UUID",
                        help="service that the peripheral adds and removes while connected")
    parser.add_argument("--dropped", action="store_true",
                        help="the peripheral disconnects; then connect again")
    parser.add_argument("--notify", default="2A37", metavar="UUID")
    parser.add_argument("--count", type=int, default=2, help="notifications to wait for")
    parser.add_argument("--timeout", type=float, default=30, help="seconds for each step")
    options = parser.parse_args()
    if not options.peripheral and (options.indicate or options.service_changed or options.dropped):
        parser.error("--indicate, --service-changed and --dropped need --peripheral")
    if shutil.which("bluetoothctl") is None:
        print("skipped: bluetoothctl is not installed", file=sys.stderr)
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
    print("all expected output appeared")


if __name__ == "__main__":
    main()

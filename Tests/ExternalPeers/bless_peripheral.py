#!/usr/bin/env python3
"""A peripheral made with bless on an adapter of bluetoothd; its service covers the features of bless.

Service FFE0: FFE1 read ("bless"), FFE2 read of 512 bytes, FFE3 write, FFE4 write without response,
FFE5 notify, FFE6 indicate, FFE7 encrypted read ("secret"). Prints one JSON object per line. Standard
input takes one command per line: notify or indicate (both send a counter), quit, or a JSON object:

    {"id": 1, "do": "send", "characteristic": "FFE5", "value": "0102"}  ->  {"done": 1}

It ends on quit, at the end of standard input, and on SIGTERM. Exits with 1 and a message on standard error
if it fails, and with 77 if bless is not installed.
"""

import argparse
import asyncio
import json
import signal
import sys
import threading
import time

try:
    from bless import (BlessServer, GATTAttributePermissions as Permissions,
                       GATTCharacteristicProperties as Properties)
    from dbus_next.errors import DBusError
except ImportError as error:
    print(f"skipped: bless is not installed ({error})", file=sys.stderr)
    sys.exit(77)

started = time.monotonic()
LONG_VALUE = bytes(each % 251 for each in range(512))


def uuid(text):
    return f"0000{text}-0000-1000-8000-00805f9b34fb".lower() if len(text) == 4 else text.lower()


SERVICE = uuid("FFE0")
CHARACTERISTICS = {
    "FFE1": (Properties.read, Permissions.readable, b"bless"),
    "FFE2": (Properties.read, Permissions.readable, LONG_VALUE),
    "FFE3": (Properties.write, Permissions.writeable, b""),
    "FFE4": (Properties.write_without_response, Permissions.writeable, b""),
    "FFE5": (Properties.notify, Permissions.readable, b""),
    "FFE6": (Properties.indicate, Permissions.readable, b""),
    "FFE7": (Properties.read, Permissions.read_encryption_required, b"secret"),
}


def report(**values):
    sys.stdout.write(json.dumps(values) + "\n")
    sys.stdout.flush()


def report_event(event, **values):
    report(event=event, seconds=round(time.monotonic() - started, 3), **values)


def short(text):
    return text[4:8]


class Peripheral:
    def __init__(self, options):
        self.name = options.name
        self.server = BlessServer(name=options.name, adapter=options.adapter)
        self.server.read_request_func = self.read
        self.server.write_request_func = self.write
        self.sent = 0

    async def start(self):
        await self.server.add_new_service(SERVICE)
        for text, (properties, permissions, value) in CHARACTERISTICS.items():
            await self.server.add_new_characteristic(
                SERVICE, uuid(text), properties, bytearray(value), permissions)
        # bless has no callback for subscriptions, so replace these two methods of its application object.
        self.server.app.StartNotify = lambda _: report_event("subscribed")
        self.server.app.StopNotify = lambda _: report_event("unsubscribed")
        await self.server.start()
        report_event("advertising", name=self.name)

    def read(self, characteristic, **_):
        report_event("read", uuid=short(characteristic.uuid))
        return characteristic.value

    def write(self, characteristic, value, **_):
        characteristic.value = value
        report_event("written", uuid=short(characteristic.uuid), value=bytes(value).hex())

    def send(self, text, value):
        characteristic = self.server.get_characteristic(uuid(text))
        if characteristic is None:
            raise ValueError(f"unknown characteristic {text}")
        characteristic.value = bytearray(value)
        self.server.update_value(SERVICE, uuid(text))

    def perform(self, line):
        """Performs the command of a line; returns true if the command ends the program."""
        events = {"notify": ("FFE5", "notified"), "indicate": ("FFE6", "indicated")}
        if line in ("quit", ""):
            return line == "quit"
        if line in events:
            characteristic, event = events[line]
            self.sent += 1
            self.send(characteristic, bytes([self.sent]))
            report_event(event, value=f"{self.sent:02x}")
            return False
        command = {}
        try:
            command = json.loads(line)
            if command.get("do") == "stop":
                report(done=command.get("id"))
                return True
            if command.get("do") != "send":
                raise ValueError(f"unknown command {command.get('do')!r}")
            self.send(command["characteristic"], bytes.fromhex(command["value"]))
            report(done=command.get("id"))
        except (ValueError, KeyError, AttributeError) as error:
            number = command.get("id") if isinstance(command, dict) else None
            report(done=number, error=str(error))
        return False


async def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--adapter", default="hci1")
    parser.add_argument("--name", default="Bless")
    peripheral = Peripheral(parser.parse_args())
    loop = asyncio.get_running_loop()
    lines = asyncio.Queue()

    def read():
        # Runs on a separate thread, because reading standard input blocks.
        for line in open(0, encoding="utf-8", closefd=False):
            loop.call_soon_threadsafe(lines.put_nowait, line.strip())
        loop.call_soon_threadsafe(lines.put_nowait, "quit")

    await peripheral.start()
    threading.Thread(target=read, daemon=True).start()
    for each in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(each, lines.put_nowait, "quit")
    while not peripheral.perform(await lines.get()):
        pass
    await peripheral.server.stop()


if __name__ == "__main__":
    try:
        asyncio.run(main())
    except (OSError, DBusError) as error:
        sys.exit(f"bless_peripheral: {error}")
    except Exception as error:  # bless raises plain `Exception`.
        sys.exit(f"bless_peripheral: {type(error).__name__}: {error}")

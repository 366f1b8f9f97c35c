#!/usr/bin/env python3
"""Prints the attributes of a device as bleak sees them, with their values and notifications.

    bleak_values.py --adapter hci0 --address C4:7C:8D:6A:1F:02 --values 4
    bleak_values.py --adapter hci0 --address C4:7C:8D:6A:1F:02 --expect UUID=TEXT
    bleak_values.py --adapter hci0 --address C4:7C:8D:6A:1F:02 --notified UUID=TEXT

Prints one line for each service, characteristic, descriptor and value, in the order of the device. For each
characteristic that notifies, it prints the first --values distinct values, sorted. It omits Generic Access
and Generic Attribute, which BlueZ may not export. If the output for two devices is equal, they do not differ
for bleak. With --expect, it only reads and compares values; with --notified,
it subscribes and compares the first notification. Exits with 1 and a message if a step fails, and
with 77 if bleak is not installed.
"""

import argparse
import asyncio
import sys

try:
    from bleak import BleakClient, BleakScanner
    from bleak.exc import BleakError, BleakGATTProtocolError
except ImportError as error:
    print(f"skipped: bleak is not installed ({error})", file=sys.stderr)
    sys.exit(77)

GENERIC_SERVICES = {f"0000{each}-0000-1000-8000-00805f9b34fb" for each in ("1800", "1801")}
# The ATT error of Bleu for a method that takes longer than a read waits, as on a busy machine. Its users read again.
LATE = 0x81
CONFIGURATION = "00002902-0000-1000-8000-00805f9b34fb"


def in_order(attributes):
    return sorted(attributes, key=lambda each: each.handle)


async def notified_values(client, characteristic, count, timeout):
    """Returns the first `count` distinct values of the notifications, sorted."""
    values = set()
    enough = asyncio.Event()

    def on_notification(_, value):
        values.add(bytes(value).hex())
        if len(values) == count:
            enough.set()

    await client.start_notify(characteristic, on_notification)
    await asyncio.wait_for(enough.wait(), timeout)
    await client.stop_notify(characteristic)
    return sorted(values)


async def print_attributes(client, options):
    for service in in_order(client.services):
        if service.uuid in GENERIC_SERVICES:
            continue
        print("service", service.uuid)
        for characteristic in in_order(service.characteristics):
            properties = sorted(characteristic.properties)
            print("  characteristic", characteristic.uuid, *properties)
            for descriptor in in_order(characteristic.descriptors):
                print("    descriptor", descriptor.uuid)
                if descriptor.uuid != CONFIGURATION:
                    print("      has", (await client.read_gatt_descriptor(descriptor)).hex())
            if "read" in properties:
                print("    has", (await client.read_gatt_char(characteristic)).hex())
            if {"notify", "indicate"} & set(properties):
                values = await notified_values(client, characteristic, options.values, options.timeout)
                print("    sends", *values)


async def read(client, uuid):
    for remaining in range(9, -1, -1):
        try:
            return await client.read_gatt_char(uuid)
        except BleakGATTProtocolError as error:
            if remaining == 0 or error.code != LATE:
                raise


async def check(client, expected):
    """Reads characteristics and compares their values with the expected texts."""
    for each in expected:
        uuid, _, text = each.partition("=")
        value = (await read(client, uuid)).decode()
        if value != text:
            raise BleakError(f"{uuid} is {value!r}, not {text!r}")


async def check_notified(client, expected, timeout):
    """Subscribes to characteristics and compares the first notification of each with the expected text."""
    for each in expected:
        uuid, _, text = each.partition("=")
        values = asyncio.Queue()
        await client.start_notify(uuid, lambda _, value: values.put_nowait(bytes(value)))
        value = (await asyncio.wait_for(values.get(), timeout)).decode()
        await client.stop_notify(uuid)
        if value != text:
            raise BleakError(f"{uuid} sends {value!r}, not {text!r}")


async def main(options):
    bluez = {"adapter": options.adapter}
    device = await BleakScanner.find_device_by_address(
        options.address, timeout=options.timeout, bluez=bluez)
    if device is None:
        raise BleakError(f"device {options.address} not found")
    # bleak uses one bus connection for calls and another for signals, so it may treat a new connection as lost.
    # Its users retry.
    for remaining in (2, 1, 0):
        try:
            client = BleakClient(device, timeout=options.timeout, bluez=bluez)
            await client.connect()
            break
        except BleakError:
            if remaining == 0:
                raise
    try:
        if options.expect or options.notified:
            await check(client, options.expect or [])
            await check_notified(client, options.notified or [], options.timeout)
        else:
            await print_attributes(client, options)
    finally:
        await client.disconnect()


parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--adapter", default="hci0")
parser.add_argument("--address", required=True)
parser.add_argument("--values", type=int, default=4, help="distinct notified values to wait for")
parser.add_argument("--expect", action="append", metavar="UUID=TEXT",
                    help="only read this characteristic and compare its value with the text; repeatable")
parser.add_argument("--notified", action="append", metavar="UUID=TEXT",
                    help="only subscribe, and compare the first notification with the text; repeatable")
parser.add_argument("--timeout", type=float, default=60, help="seconds for each step")
try:
    asyncio.run(main(parser.parse_args()))
except (BleakError, TimeoutError, asyncio.TimeoutError) as error:
    print(f"bleak: {type(error).__name__}: {error}", file=sys.stderr)
    sys.exit(1)

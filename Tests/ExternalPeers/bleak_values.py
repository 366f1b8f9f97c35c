#!/usr/bin/env python3
"""What bleak finds in a device: its services, what can be read of them, what notifies and with what.

    bleak_values.py --adapter hci0 --address C4:7C:8D:6A:1F:02 --values 4
    bleak_values.py --adapter hci0 --address C4:7C:8D:6A:1F:02 --expect UUID=TEXT

Prints one line for each service, characteristic, descriptor and value, in the order of the device, and
for each characteristic that notifies the first --values different values, sorted. Generic Access and
Generic Attribute are left out: a BlueZ may keep them for itself. Two devices for which it prints the
same are the same to bleak. With --expect it reads and compares values, and nothing else. Ends with 1
and a sentence when something fails, with 77 without bleak.
"""

import argparse
import asyncio
import sys

try:
    from bleak import BleakClient, BleakScanner
    from bleak.exc import BleakError
except ImportError as error:
    print(f"skipped: bleak is not installed here ({error})", file=sys.stderr)
    sys.exit(77)

OF_ITSELF = {f"0000{each}-0000-1000-8000-00805f9b34fb" for each in ("1800", "1801")}
CONFIGURATION = "00002902-0000-1000-8000-00805f9b34fb"


def in_order(attributes):
    return sorted(attributes, key=lambda each: each.handle)


async def notified(client, characteristic, count, timeout):
    """The first different values that it sends, as many as asked for."""
    values = set()
    enough = asyncio.Event()

    def sent(_, value):
        values.add(bytes(value).hex())
        if len(values) == count:
            enough.set()

    await client.start_notify(characteristic, sent)
    await asyncio.wait_for(enough.wait(), timeout)
    await client.stop_notify(characteristic)
    return sorted(values)


async def tell(client, options):
    for service in in_order(client.services):
        if service.uuid in OF_ITSELF:
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
                values = await notified(client, characteristic, options.values, options.timeout)
                print("    sends", *values)


async def check(client, expected):
    """Reads characteristics whose values are text."""
    for each in expected:
        uuid, _, text = each.partition("=")
        value = (await client.read_gatt_char(uuid)).decode()
        if value != text:
            raise BleakError(f"{uuid} is {value!r}, not {text!r}")


async def main(options):
    bluez = {"adapter": options.adapter}
    device = await BleakScanner.find_device_by_address(
        options.address, timeout=options.timeout, bluez=bluez)
    if device is None:
        raise BleakError(f"there is no {options.address}")
    # bleak calls on one bus connection and receives signals on another, so it may consider a new link lost.
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
        if options.expect:
            await check(client, options.expect)
        else:
            await tell(client, options)
    finally:
        await client.disconnect()


parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--adapter", default="hci0")
parser.add_argument("--address", required=True)
parser.add_argument("--values", type=int, default=4, help="different notifications to wait for")
parser.add_argument("--expect", action="append", metavar="UUID=TEXT",
                    help="read only this characteristic, whose value is the text")
parser.add_argument("--timeout", type=float, default=60, help="seconds for each step")
try:
    asyncio.run(main(parser.parse_args()))
except (BleakError, TimeoutError, asyncio.TimeoutError) as error:
    print(f"bleak: {type(error).__name__}: {error}", file=sys.stderr)
    sys.exit(1)

#!/usr/bin/env python3
"""Uses a peripheral as bleak's users do: scan, connect, read, write, notifications, disconnect.

The system bus decides whose `org.bluez` this is: the simulator's or a real bluetoothd's. Prints one
JSON object a line for each thing that happened. Ends with 0 when all of it went as asked, with 1
and a sentence on standard error when something did not, with 77 when bleak is not installed.

    bluez-simulator -- bleak_scan_connect.py --adapter hci0 --service 180D \\
        --read 2A38=02 --write 2A39=01 --refuse 2A39=02:0x80 --notify 2A37 --count 3
"""

import argparse
import asyncio
import json
import sys
import time

try:
    from bleak import BleakClient, BleakScanner
    from bleak.exc import BleakError, BleakGATTProtocolError
    from bleak.uuids import normalize_uuid_str
except ImportError as error:
    print(f"skipped: bleak is not installed here ({error})", file=sys.stderr)
    sys.exit(77)


class Failure(Exception):
    """Something did not go as asked."""


started = time.monotonic()


def report(event, **values):
    seconds = round(time.monotonic() - started, 3)
    print(json.dumps({"event": event, "seconds": seconds, **values}), flush=True)


def check(condition, sentence):
    if not condition:
        raise Failure(sentence)


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0], epilog="UUIDs may be short. Values are hexadecimal."
    )
    parser.add_argument("--adapter", default="hci0")
    parser.add_argument("--service", default="180D", help="what the scan looks for")
    parser.add_argument("--name", help="the local name that must be advertised")
    parser.add_argument("--read", action="append", default=[], metavar="UUID[=VALUE]")
    parser.add_argument("--write", action="append", default=[], metavar="UUID=VALUE")
    parser.add_argument("--command", action="append", default=[], metavar="UUID=VALUE",
                        help="write without response")
    parser.add_argument("--refuse", action="append", default=[], metavar="UUID=VALUE:CODE",
                        help="a write that must fail with this ATT error code")
    parser.add_argument("--notify", default="2A37", metavar="UUID")
    parser.add_argument("--count", type=int, default=3, help="notifications to wait for")
    parser.add_argument("--acquire", action="store_true", help="use AcquireNotify, not StartNotify")
    parser.add_argument("--heart-rate", action="store_true",
                        help="each notification must be a heart rate measurement")
    parser.add_argument("--timeout", type=float, default=30, help="seconds for each step")
    return parser.parse_args()


def split(text):
    uuid, _, value = text.partition("=")
    return normalize_uuid_str(uuid), value


def heart_rate(value):
    """Beats per minute out of a measurement (Heart Rate Service 1.0, section 3.1)."""
    check(len(value) >= 2, f"a heart rate measurement of {len(value)} bytes")
    if value[0] & 1 == 0:
        return value[1]
    check(len(value) >= 3, "a 16-bit heart rate in a measurement of 2 bytes")
    return int.from_bytes(value[1:3], "little")


async def find(options, service):
    found = asyncio.get_running_loop().create_future()

    def seen(device, advertisement):
        if service in advertisement.service_uuids and not found.done():
            found.set_result((device, advertisement))

    async with BleakScanner(seen, service_uuids=[service], bluez={"adapter": options.adapter}):
        device, advertisement = await asyncio.wait_for(found, options.timeout)
    report("found", address=device.address, name=advertisement.local_name,
           services=advertisement.service_uuids, rssi=advertisement.rssi)
    if options.name is not None:
        check(advertisement.local_name == options.name, f"the name is {advertisement.local_name!r}")
    return device


async def connect(options, device, disconnected):
    # bleak has one bus connection for calls and one for signals, so the reply of Connect may
    # overtake Connected=true; it then says 'device disconnected'. Its users try again.
    for remaining in (2, 1, 0):
        client = BleakClient(device, disconnected_callback=disconnected, timeout=options.timeout,
                             bluez={"adapter": options.adapter})
        try:
            await client.connect()
            return client
        except BleakError as error:
            report("connect failed", error=str(error))
            if remaining == 0:
                raise
    raise Failure("unreachable")


async def exchange(options, client):
    for text in options.read:
        uuid, expected = split(text)
        value = await client.read_gatt_char(uuid)
        report("read", characteristic=uuid, value=value.hex())
        if expected:
            check(value.hex() == expected.lower(), f"{uuid} is {value.hex()}, not {expected}")
    for response, texts in ((True, options.write), (False, options.command)):
        for text in texts:
            uuid, value = split(text)
            await client.write_gatt_char(uuid, bytes.fromhex(value), response=response)
            report("written", characteristic=uuid, value=value, response=response)
    for text in options.refuse:
        uuid, rest = split(text)
        value, _, code = rest.partition(":")
        try:
            await client.write_gatt_char(uuid, bytes.fromhex(value), response=True)
        except BleakGATTProtocolError as error:
            check(error.code == int(code, 0), f"{uuid} refused with {error}, not {code}")
            report("refused", characteristic=uuid, value=value, error=str(error))
        else:
            raise Failure(f"{uuid} took {value}, which it should refuse with {code}")


async def listen(options, client):
    uuid = normalize_uuid_str(options.notify)
    values = asyncio.Queue()
    await client.start_notify(uuid, lambda _, value: values.put_nowait(bytes(value)),
                              bluez={"use_start_notify": not options.acquire})
    report("listening", characteristic=uuid)
    for _ in range(options.count):
        value = await asyncio.wait_for(values.get(), options.timeout)
        more = {"heartRate": heart_rate(value)} if options.heart_rate else {}
        report("notification", characteristic=uuid, value=value.hex(), **more)
    await client.stop_notify(uuid)
    report("stopped listening", characteristic=uuid)


async def main():
    options = parse_arguments()
    service = normalize_uuid_str(options.service)
    device = await find(options, service)
    gone = asyncio.Event()
    client = await connect(options, device, lambda _: gone.set())
    check(client.is_connected, "connected, but bleak says it is not")
    report("connected", address=client.address)
    try:
        services = {
            one.uuid: [{"uuid": each.uuid, "properties": sorted(each.properties)}
                       for each in one.characteristics]
            for one in client.services
        }
        report("services", services=services)
        check(service in services, f"the peripheral advertises {service} and does not have it")
        await exchange(options, client)
        if options.count:
            await listen(options, client)
    finally:
        await client.disconnect()
    await asyncio.wait_for(gone.wait(), options.timeout)
    check(not client.is_connected, "disconnected, but bleak says it is connected")
    report("disconnected", address=client.address)


if __name__ == "__main__":
    try:
        asyncio.run(main())
    except asyncio.TimeoutError:
        sys.exit("bleak_scan_connect: nothing came in time")
    except (Failure, BleakError) as error:
        sys.exit(f"bleak_scan_connect: {type(error).__name__}: {error}")

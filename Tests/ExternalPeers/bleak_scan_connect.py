#!/usr/bin/env python3
"""Uses a peripheral through bleak: scans, connects, reads, writes, subscribes, disconnects.

`org.bluez` on the system bus is either the simulator or a real bluetoothd. Prints one JSON object per line
for each event. Exits with 0 if every step succeeds; with 1 and a message on standard error if a step fails;
with 77 if bleak is not installed.

    bluez-simulator -- bleak_scan_connect.py --adapter hci0 --service 180D \\
        --read 2A38=02 --write 2A39=01 --refuse 2A39=02:0x80 --notify 2A37 --count 3

With --peripheral, it also starts the peripheral, and sends it commands for the actions of that side:

    bluez-simulator -- bleak_scan_connect.py --service FFE0 --count 2 \\
        --peripheral 'acceptance-peripheral --adapter hci1' --read FFE1 --read-long FFE2 \\
        --write FFE3=0102 --command FFE4=0304 --refuse FFE8=05:0x80 --notify FFE5 \\
        --indicate FFE6 --service-changed FFF0 --encrypted FFE7 --dropped
"""

import argparse
import asyncio
import contextlib
import json
import sys
import time

from peripheral_process import PeripheralFailure, PeripheralProcess

try:
    from bleak import BleakClient, BleakScanner
    from bleak.exc import BleakError, BleakGATTProtocolError
    from bleak.uuids import normalize_uuid_str
    from dbus_fast import BusType, Message, MessageType
    from dbus_fast.aio import MessageBus
    from dbus_fast.service import ServiceInterface, dbus_method
except ImportError as error:
    print(f"skipped: bleak is not installed ({error})", file=sys.stderr)
    sys.exit(77)


class Failure(Exception):
    """A step failed; the text is the message for the user."""


started = time.monotonic()


def report(event, **values):
    seconds = round(time.monotonic() - started, 3)
    # One write call per line, because the peripheral's events are reported on another thread.
    sys.stdout.write(json.dumps({"event": event, "seconds": seconds, **values}) + "\n")
    sys.stdout.flush()


def check(condition, message):
    if not condition:
        raise Failure(message)


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0], epilog="UUIDs may be short. Values are hexadecimal."
    )
    parser.add_argument("--adapter", default="hci0")
    parser.add_argument("--service", default="180D", help="service that the scan looks for")
    parser.add_argument("--name", help="expected local name in the advertisement")
    parser.add_argument("--read", action="append", default=[], metavar="UUID[=VALUE]")
    parser.add_argument("--write", action="append", default=[], metavar="UUID=VALUE")
    parser.add_argument("--command", action="append", default=[], metavar="UUID=VALUE",
                        help="write without response")
    parser.add_argument("--refuse", action="append", default=[], metavar="UUID=VALUE:CODE",
                        help="write that must fail with this ATT error code")
    parser.add_argument("--read-long", action="append", default=[], metavar="UUID",
                        help="read that must return 512 bytes")
    parser.add_argument("--encrypted", metavar="UUID[=VALUE]",
                        help="read that pairs, with a NoInputNoOutput agent")
    parser.add_argument("--peripheral", metavar="COMMAND", help="command line of the peripheral to start")
    parser.add_argument("--indicate", metavar="UUID",
                        help="characteristic that the peripheral indicates on request")
    parser.add_argument("--unconfirmed", action="store_true",
                        help="the peripheral does not report subscriptions and confirmations")
    parser.add_argument("--service-changed", metavar="UUID",
                        help="service that the peripheral adds and removes while connected")
    parser.add_argument("--dropped", action="store_true",
                        help="the peripheral disconnects; then connect again")
    parser.add_argument("--notify", default="2A37", metavar="UUID")
    parser.add_argument("--count", type=int, default=3, help="notifications to wait for")
    parser.add_argument("--acquire", action="store_true", help="use AcquireNotify, not StartNotify")
    parser.add_argument("--heart-rate", action="store_true",
                        help="each notification must be a heart rate measurement")
    parser.add_argument("--link-first", action="store_true",
                        help="connect before bleak starts: if one bluetoothd is both ends, it may never "
                        "signal Connected=true")
    parser.add_argument("--timeout", type=float, default=30, help="seconds for each step")
    options = parser.parse_args()
    if not options.peripheral and (options.indicate or options.service_changed or options.dropped):
        parser.error("--indicate, --service-changed and --dropped need --peripheral")
    return options


def split(text):
    uuid, _, value = text.partition("=")
    return normalize_uuid_str(uuid), value


def heart_rate(value):
    """Returns the beats per minute of a measurement (Heart Rate Service 1.0, section 3.1)."""
    check(len(value) >= 2, f"the heart rate measurement has only {len(value)} bytes")
    if value[0] & 1 == 0:
        return value[1]
    check(len(value) >= 3, "the measurement has a 16-bit heart rate, but only 2 bytes")
    return int.from_bytes(value[1:3], "little")


async def find(options, service):
    found = asyncio.get_running_loop().create_future()

    def on_advertisement(device, advertisement):
        if service in advertisement.service_uuids and not found.done():
            found.set_result((device, advertisement))

    async with BleakScanner(on_advertisement, service_uuids=[service], bluez={"adapter": options.adapter}):
        device, advertisement = await asyncio.wait_for(found, options.timeout)
    report("found", address=device.address, name=advertisement.local_name,
           services=advertisement.service_uuids, rssi=advertisement.rssi)
    if options.name is not None:
        check(advertisement.local_name == options.name, f"the name is {advertisement.local_name!r}")
    return device


async def connect(options, device, disconnected):
    # bleak uses one bus connection for calls and another for signals, so the reply to Connect may arrive before
    # Connected=true. bleak then raises 'device disconnected', and its users retry.
    for remaining in (0,) if options.link_first else (2, 1, 0):
        client = BleakClient(device, disconnected_callback=disconnected, timeout=options.timeout,
                             bluez={"adapter": options.adapter})
        try:
            await client.connect()
            if remaining == 0 or list(client.services):
                return client
            # ServicesResolved may arrive before the services, and bleak does not query them again.
            report("connected without services")
            await client.disconnect()
        except BleakError as error:
            report("connect failed", error=str(error))
            if remaining == 0:
                raise
    raise Failure("unreachable")


@contextlib.asynccontextmanager
async def session(options, device):
    """Connects, yields the client and an event that the disconnection sets, then disconnects."""
    gone = asyncio.Event()
    client = await connect(options, device, lambda _: gone.set())
    try:
        check(client.is_connected, "connected, but is_connected is false")
        report("connected", address=client.address)
        yield client, gone
    finally:
        await client.disconnect()
    await asyncio.wait_for(gone.wait(), options.timeout)
    check(not client.is_connected, "disconnected, but is_connected is true")
    report("disconnected", address=client.address)


async def exchange(options, client):
    for text in options.read:
        uuid, expected = split(text)
        value = await client.read_gatt_char(uuid)
        report("read", characteristic=uuid, value=value.hex())
        if expected:
            check(value.hex() == expected.lower(), f"{uuid} is {value.hex()}, not {expected}")
    for text in options.read_long:
        value = await client.read_gatt_char(normalize_uuid_str(text))
        report("read long", characteristic=normalize_uuid_str(text), length=len(value))
        check(len(value) == 512, f"{text} has {len(value)} bytes, not 512")
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
            check(error.code == int(code, 0), f"the write to {uuid} failed with {error} instead of {code}")
            report("refused", characteristic=uuid, value=value, error=str(error))
        else:
            raise Failure(f"{uuid} accepted {value} instead of failing with {code}")


async def listen(options, client, peripheral, uuid, count, command):
    uuid = normalize_uuid_str(uuid)
    values = asyncio.Queue()
    await client.start_notify(uuid, lambda _, value: values.put_nowait(bytes(value)),
                              bluez={"use_start_notify": not options.acquire})
    report("listening", characteristic=uuid)
    if peripheral is not None and not options.unconfirmed:
        await asyncio.to_thread(peripheral.wait, "subscribed")
    for _ in range(count):
        if peripheral is not None:
            peripheral.send(command)
        value = await asyncio.wait_for(values.get(), options.timeout)
        more = {"heartRate": heart_rate(value)} if options.heart_rate else {}
        report("notification", characteristic=uuid, value=value.hex(), **more)
    await client.stop_notify(uuid)
    report("stopped listening", characteristic=uuid)


class Agent(ServiceInterface):
    """A pairing agent that accepts requests without a passkey."""

    path = "/strangers/agent"

    def __init__(self):
        super().__init__("org.bluez.Agent1")

    @dbus_method()
    def Release(self):
        pass

    @dbus_method()
    def RequestAuthorization(self, device: "o"):  # noqa: F821 (a D-Bus signature)
        report("asked for authorization", device=device)

    @dbus_method()
    def Cancel(self):
        report("pairing cancelled")


class Bus:
    """A separate bus connection, for functions that bleak lacks."""

    async def __aenter__(self):
        self.bus = await MessageBus(bus_type=BusType.SYSTEM).connect()
        return self

    async def __aexit__(self, *_):
        self.bus.disconnect()

    async def call(self, path, interface, member, signature="", body=()):
        reply = await self.bus.call(Message(
            "org.bluez", path, interface, member, signature=signature, body=list(body)))
        check(reply.message_type != MessageType.ERROR, f"{member}: {reply.error_name} {reply.body}")
        return reply.body

    async def register_agent(self):
        self.bus.export(Agent.path, Agent())
        manager = "org.bluez.AgentManager1"
        await self.call("/org/bluez", manager, "RegisterAgent", "os", [Agent.path, "NoInputNoOutput"])
        await self.call("/org/bluez", manager, "RequestDefaultAgent", "o", [Agent.path])

    async def forget_pairings(self):
        """Removes all paired devices of all adapters, so that the next test starts unpaired."""
        for path, device in (await self.devices()).items():
            if device["Paired"].value:
                adapter = device["Adapter"].value
                await self.call(adapter, "org.bluez.Adapter1", "RemoveDevice", "o", [path])
                report("forgotten", device=path)

    async def devices(self):
        """Returns the devices of all adapters, by object path."""
        objects, = await self.call("/", "org.freedesktop.DBus.ObjectManager", "GetManagedObjects")
        return {path: interfaces["org.bluez.Device1"] for path, interfaces in objects.items()
                if "org.bluez.Device1" in interfaces}

    async def link(self, address, timeout):
        """Connects and waits until the services are resolved."""
        path = next(path for path, device in (await self.devices()).items()
                    if device["Address"].value == address)
        await self.call(path, "org.bluez.Device1", "Connect")
        deadline = time.monotonic() + timeout
        while not (await self.devices())[path]["ServicesResolved"].value:
            check(time.monotonic() < deadline, f"the services of {address} were not resolved in time")
            await asyncio.sleep(0.05)
        report("linked", address=address)

    async def services(self, address):
        """Returns the current services of a device; bleak only keeps those of the moment of the connection."""
        objects, = await self.call("/", "org.freedesktop.DBus.ObjectManager", "GetManagedObjects")
        device = f"dev_{address.replace(':', '_')}/"
        found = (interfaces.get("org.bluez.GattService1")
                 for path, interfaces in objects.items() if device in path)
        return {service["UUID"].value for service in found if service}

    async def wait_for_service(self, address, uuid, present, timeout):
        deadline = time.monotonic() + timeout
        while (uuid in await self.services(address)) != present:
            check(time.monotonic() < deadline, f"{uuid} was not {'added' if present else 'removed'} in time")
            await asyncio.sleep(0.05)


async def change_services(options, client, peripheral):
    uuid = normalize_uuid_str(options.service_changed)
    async with Bus() as bus:
        check(uuid not in await bus.services(client.address), f"{uuid} exists before it is added")
        for command, present in (("add-service", True), ("remove-service", False)):
            peripheral.send(command)
            await bus.wait_for_service(client.address, uuid, present, options.timeout)
            report("service added" if present else "service removed", service=uuid)
    check(client.is_connected, "the device disconnected when a service changed")


async def pair(options, client):
    uuid, expected = split(options.encrypted)
    async with Bus() as bus:
        await bus.register_agent()
        value = await asyncio.wait_for(client.read_gatt_char(uuid), options.timeout)
    report("read encrypted", characteristic=uuid, value=value.hex())
    check(not expected or value.hex() == expected.lower(), f"{uuid} is {value.hex()}")


async def use(options, client, peripheral):
    service = normalize_uuid_str(options.service)
    services = {
        one.uuid: [{"uuid": each.uuid, "properties": sorted(each.properties)}
                   for each in one.characteristics]
        for one in client.services
    }
    report("services", services=services)
    check(service in services, f"the peripheral advertises the service {service}, but does not have it")
    await exchange(options, client)
    if options.count:
        await listen(options, client, peripheral, options.notify, options.count, "notify")
    if options.indicate:
        await listen(options, client, peripheral, options.indicate, 1, "indicate")
        if not options.unconfirmed:
            await asyncio.to_thread(peripheral.wait, "confirmed")
    if options.service_changed:
        await change_services(options, client, peripheral)
    if options.encrypted:
        await pair(options, client)


def main():
    options = parse_arguments()
    peripheral = None
    if options.peripheral:
        peripheral = PeripheralProcess(options.peripheral, options.timeout,
                                       lambda event: report("peripheral", said=event))
    try:
        if peripheral is not None:
            peripheral.wait("advertising")
        # bleak reads BlueZ's objects once per event loop and then relies on signals: use a new loop for each step.
        device = asyncio.run(find(options, normalize_uuid_str(options.service)))
        asyncio.run(link(options, device))
        asyncio.run(connect_and_use(options, device, peripheral))
        if options.dropped:
            asyncio.run(link(options, device))
            asyncio.run(reconnect(options, device))
        if options.encrypted:
            asyncio.run(forget_pairings())
    finally:
        if peripheral is not None:
            peripheral.end()


async def link(options, device):
    if options.link_first:
        async with Bus() as bus:
            await bus.link(device.address, options.timeout)


async def connect_and_use(options, device, peripheral):
    async with session(options, device) as (client, gone):
        await use(options, client, peripheral)
        if options.dropped:
            peripheral.send("disconnect")
            await asyncio.wait_for(gone.wait(), options.timeout)
            report("dropped", address=client.address)


async def reconnect(options, device):
    async with session(options, device):
        pass


async def forget_pairings():
    async with Bus() as bus:
        await bus.forget_pairings()


if __name__ == "__main__":
    try:
        main()
    except asyncio.TimeoutError:
        sys.exit("bleak_scan_connect: a step timed out")
    except (Failure, PeripheralFailure, BleakError) as error:
        sys.exit(f"bleak_scan_connect: {type(error).__name__}: {error}")

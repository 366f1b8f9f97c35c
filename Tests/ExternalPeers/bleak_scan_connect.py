#!/usr/bin/env python3
"""Uses a peripheral as bleak's users do: scan, connect, read, write, notifications, disconnect.

The system bus decides whose `org.bluez` this is: the simulator's or a real bluetoothd's. Prints one
JSON object a line for each thing that happened. Ends with 0 when all of it went as asked, with 1
and a sentence on standard error when something did not, with 77 when bleak is not installed.

    bluez-simulator -- bleak_scan_connect.py --adapter hci0 --service 180D \\
        --read 2A38=02 --write 2A39=01 --refuse 2A39=02:0x80 --notify 2A37 --count 3

With --peripheral it starts the peripheral too, and asks it for what only that end can do:

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
    print(f"skipped: bleak is not installed here ({error})", file=sys.stderr)
    sys.exit(77)


class Failure(Exception):
    """Something did not go as asked."""


started = time.monotonic()


def report(event, **values):
    seconds = round(time.monotonic() - started, 3)
    # One write per line: the peripheral reports on a separate thread.
    sys.stdout.write(json.dumps({"event": event, "seconds": seconds, **values}) + "\n")
    sys.stdout.flush()


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
    parser.add_argument("--read-long", action="append", default=[], metavar="UUID",
                        help="a read that must give 512 bytes")
    parser.add_argument("--encrypted", metavar="UUID[=VALUE]",
                        help="a read that pairs; an agent without input and output is registered")
    parser.add_argument("--peripheral", metavar="COMMAND", help="what to start, and to talk to")
    parser.add_argument("--indicate", metavar="UUID", help="an indication that is asked for")
    parser.add_argument("--unconfirmed", action="store_true",
                        help="the peripheral tells neither subscriptions nor confirmations")
    parser.add_argument("--service-changed", metavar="UUID",
                        help="a service that comes and goes while connected")
    parser.add_argument("--dropped", action="store_true",
                        help="the peripheral ends the link; then connect again")
    parser.add_argument("--notify", default="2A37", metavar="UUID")
    parser.add_argument("--count", type=int, default=3, help="notifications to wait for")
    parser.add_argument("--acquire", action="store_true", help="use AcquireNotify, not StartNotify")
    parser.add_argument("--heart-rate", action="store_true",
                        help="each notification must be a heart rate measurement")
    parser.add_argument("--link-first", action="store_true",
                        help="make each link before bleak looks: for one bluetoothd at both ends, "
                        "which may never signal Connected=true")
    parser.add_argument("--timeout", type=float, default=30, help="seconds for each step")
    options = parser.parse_args()
    if not options.peripheral and (options.indicate or options.service_changed or options.dropped):
        parser.error("--indicate, --service-changed and --dropped need --peripheral")
    return options


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
    # bleak has one bus connection for calls and one for signals, so the reply of Connect may overtake
    # Connected=true; bleak then raises 'device disconnected'. Its users retry.
    for remaining in (0,) if options.link_first else (2, 1, 0):
        client = BleakClient(device, disconnected_callback=disconnected, timeout=options.timeout,
                             bluez={"adapter": options.adapter})
        try:
            await client.connect()
            if remaining == 0 or list(client.services):
                return client
            # ServicesResolved may arrive before the services, and bleak does not check again.
            report("connected without services")
            await client.disconnect()
        except BleakError as error:
            report("connect failed", error=str(error))
            if remaining == 0:
                raise
    raise Failure("unreachable")


@contextlib.asynccontextmanager
async def session(options, device):
    """A connection from its start to its end, and an event that its end sets."""
    gone = asyncio.Event()
    client = await connect(options, device, lambda _: gone.set())
    try:
        check(client.is_connected, "connected, but bleak says it is not")
        report("connected", address=client.address)
        yield client, gone
    finally:
        await client.disconnect()
    await asyncio.wait_for(gone.wait(), options.timeout)
    check(not client.is_connected, "disconnected, but bleak says it is connected")
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
            check(error.code == int(code, 0), f"{uuid} refused with {error}, not {code}")
            report("refused", characteristic=uuid, value=value, error=str(error))
        else:
            raise Failure(f"{uuid} took {value}, which it should refuse with {code}")


async def listen(options, client, peripheral, uuid, count, word):
    uuid = normalize_uuid_str(uuid)
    values = asyncio.Queue()
    await client.start_notify(uuid, lambda _, value: values.put_nowait(bytes(value)),
                              bluez={"use_start_notify": not options.acquire})
    report("listening", characteristic=uuid)
    if peripheral is not None and not options.unconfirmed:
        await asyncio.to_thread(peripheral.wait, "subscribed")
    for _ in range(count):
        if peripheral is not None:
            peripheral.say(word)
        value = await asyncio.wait_for(values.get(), options.timeout)
        more = {"heartRate": heart_rate(value)} if options.heart_rate else {}
        report("notification", characteristic=uuid, value=value.hex(), **more)
    await client.stop_notify(uuid)
    report("stopped listening", characteristic=uuid)


class Agent(ServiceInterface):
    """Agrees to a pairing that has no numbers."""

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
    """A connection of its own, for what bleak does not have."""

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
        """Removes what is paired, on each adapter: the next pair begins anew."""
        for path, device in (await self.devices()).items():
            if device["Paired"].value:
                adapter = device["Adapter"].value
                await self.call(adapter, "org.bluez.Adapter1", "RemoveDevice", "o", [path])
                report("forgotten", device=path)

    async def devices(self):
        """The devices of all adapters, by path."""
        objects, = await self.call("/", "org.freedesktop.DBus.ObjectManager", "GetManagedObjects")
        return {path: interfaces["org.bluez.Device1"] for path, interfaces in objects.items()
                if "org.bluez.Device1" in interfaces}

    async def link(self, address, timeout):
        """Connects, and returns when the services are known."""
        path = next(path for path, device in (await self.devices()).items()
                    if device["Address"].value == address)
        await self.call(path, "org.bluez.Device1", "Connect")
        deadline = time.monotonic() + timeout
        while not (await self.devices())[path]["ServicesResolved"].value:
            check(time.monotonic() < deadline, f"the services of {address} did not come")
            await asyncio.sleep(0.05)
        report("linked", address=address)

    async def services(self, address):
        """The services of a device as they are now: bleak keeps those of the connection's start."""
        objects, = await self.call("/", "org.freedesktop.DBus.ObjectManager", "GetManagedObjects")
        device = f"dev_{address.replace(':', '_')}/"
        found = (interfaces.get("org.bluez.GattService1")
                 for path, interfaces in objects.items() if device in path)
        return {service["UUID"].value for service in found if service}

    async def wait_for_service(self, address, uuid, there, timeout):
        deadline = time.monotonic() + timeout
        while (uuid in await self.services(address)) != there:
            check(time.monotonic() < deadline, f"{uuid} did not {'come' if there else 'go'}")
            await asyncio.sleep(0.05)


async def change_services(options, client, peripheral):
    uuid = normalize_uuid_str(options.service_changed)
    async with Bus() as bus:
        check(uuid not in await bus.services(client.address), f"{uuid} is there before it is added")
        for word, there in (("add-service", True), ("remove-service", False)):
            peripheral.say(word)
            await bus.wait_for_service(client.address, uuid, there, options.timeout)
            report("service came" if there else "service went", service=uuid)
    check(client.is_connected, "the link ended when a service changed")


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
    check(service in services, f"the peripheral advertises {service} and does not have it")
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
        # bleak reads the objects of BlueZ once per event loop, and relies on the signals afterwards.
        device = asyncio.run(find(options, normalize_uuid_str(options.service)))
        asyncio.run(link(options, device))
        asyncio.run(visit(options, device, peripheral))
        if options.dropped:
            asyncio.run(link(options, device))
            asyncio.run(visit_again(options, device))
        if options.encrypted:
            asyncio.run(forget_pairings())
    finally:
        if peripheral is not None:
            peripheral.end()


async def link(options, device):
    if options.link_first:
        async with Bus() as bus:
            await bus.link(device.address, options.timeout)


async def visit(options, device, peripheral):
    async with session(options, device) as (client, gone):
        await use(options, client, peripheral)
        if options.dropped:
            peripheral.say("disconnect")
            await asyncio.wait_for(gone.wait(), options.timeout)
            report("dropped", address=client.address)


async def visit_again(options, device):
    async with session(options, device):
        pass


async def forget_pairings():
    async with Bus() as bus:
        await bus.forget_pairings()


if __name__ == "__main__":
    try:
        main()
    except asyncio.TimeoutError:
        sys.exit("bleak_scan_connect: nothing came in time")
    except (Failure, PeripheralFailure, BleakError) as error:
        sys.exit(f"bleak_scan_connect: {type(error).__name__}: {error}")

#!/usr/bin/env python3
"""The controller of an adapter and the simulated devices in its range, played by bumble in one process.

`bumble_peripheral.py` plays one peripheral on a controller of the kernel. This program is the controller
itself: it opens /dev/vhci, and the kernel creates an adapter for it. Any number of peripherals and centrals,
each on its own controller, share one simulated radio medium (the air) with the adapter. Unlike btvirt, it
supports many simultaneous links in both roles, many advertisers with signal strengths, and L2CAP channels.
It requires root, and btvirt must not run (`bluez-control unplug`).

Each line of standard input is a command; `on` is the address of the device that performs it. Events and
replies are one JSON object per line:

    > {"event": "ready", "address": "00:BB:00:00:00:01"}
    < {"id": 1, "do": "addPeripheral", "script": {"address": "C4:7C:8D:6A:1F:02", …}}
    > {"done": 1}
    < {"id": 2, "on": "C4:7C:8D:6A:1F:02", "do": "send", "characteristic": "2A37", "value": "003c"}
    < {"id": 3, "do": "addCentral", "address": "F0:00:00:00:00:01"}
    < {"id": 4, "on": "F0:00:00:00:00:01", "do": "connect"}

A peripheral takes the script and the commands of `bumble_peripheral.py`. Commands of a central:

    connect{address, random, seconds, bonded}  connects to the adapter, or to `address`; `bonded` uses the keys
    discover{service}                  discovers all characteristics of the services with that UUID
    read{characteristic}  write{characteristic, value, response}
    subscribe{characteristic, indications}  unsubscribe{characteristic}
    hear{characteristic, count}        waits for `count` values; the reply contains them
    pair  leave  report

If the server rejects a request, the reply has the ATT error as `code`. Peripherals and centrals also have
the channel commands of `bumble_channels.py`, and two more: `vanish` drops the link without a termination
procedure, so that both sides report a supervision timeout; `strength{rssi}` sets the signal strength.
Commands without `on`:

    addPeripheral{script}  addCentral{address, name}  addNode{script}  addActor{script}
    remove{address}  clear  stop

Nodes are mesh nodes; see `bumble_mesh.py`. For actors and the calls of centrals to them, see
`bumble_bleu.py`.

With `--extended-advertising`, the adapter supports Extended Advertising. The first connection then ends its
advertisements, as on current controllers.
"""

import argparse
import asyncio
import signal
import sys
from types import SimpleNamespace

from bumble_peripheral import (
    Failure, Peripheral, answer, attribute_type, bytes_of, lines_of_input, report, report_event,
    start_log, uuid_of)
from bumble import att, hci, ll
from bumble.controller import Controller
from bumble.core import BaseBumbleError, PhysicalTransport
from bumble.device import Device, DeviceConfiguration, Peer
from bumble.link import LocalLink
from bumble.transport import open_transport
from bumble.transport.common import AsyncPipeSink

from bumble_bleu import ActorCalls, ActorNode
from bumble_channels import Channels
from bumble_mesh import MeshNode

ADDRESS = "00:BB:00:00:00:01"
# With these feature bits of bumble, the kernel waits 4 s for events that bumble does not send.
UNWANTED = hci.LeFeatureMask.LE_PERIODIC_ADVERTISING | hci.LeFeatureMask.LL_PRIVACY
EXTENDED = hci.LeFeatureMask.LE_EXTENDED_ADVERTISING
# The maximum length of a packet (Core Specification, Vol 6, Part B, 2.4); bumble uses 27 bytes.
PACKET_LENGTH = 251
LOST = hci.HCI_CONNECTION_TIMEOUT_ERROR


class Air(LocalLink):
    """bumble's link layer, in which a link keeps the addresses with which it was established."""

    def send_acl_data(self, sender_controller, destination_address, transport, data):
        if transport != PhysicalTransport.LE:
            return super().send_acl_data(sender_controller, destination_address, transport, data)
        link = sender_controller.le_connections.get(destination_address)
        receiver = self.find_le_controller(destination_address)
        if link is not None and receiver is not None:
            # bumble passes the sender's random address, even if the link uses the public address.
            asyncio.get_running_loop().call_soon(
                receiver.on_link_acl_data, link.self_address, transport, data)

    def send_advertising_pdu(self, sender_controller, packet):
        if not isinstance(packet, ll.ConnectInd):
            return super().send_advertising_pdu(sender_controller, packet)
        # Deliver synchronously: a second controller that answers the same advertisement must find it ended.
        for controller in list(self.controllers):
            if controller is not sender_controller:
                controller.on_ll_advertising_pdu(packet)

    def advertises(self, address):
        return any(each.enabled and each.address == address for controller in self.controllers
                   for each in (controller.le_legacy_advertiser,
                                *controller.advertising_sets.values()))

    def send_ll_control_pdu(self, sender_address, receiver_address, packet):
        # Removed controllers receive nothing.
        if self.find_le_controller(receiver_address) is not None:
            super().send_ll_control_pdu(sender_address, receiver_address, packet)


class AirController(Controller):
    """bumble's controller, with further functions that the kernel requires."""

    le_acl_data_packet_length = supported_max_tx_octets = supported_max_rx_octets = PACKET_LENGTH
    suggested_max_tx_octets = PACKET_LENGTH
    le_features = Controller.le_features & ~(UNWANTED | EXTENDED)
    strength = -50

    def create_le_connection(self, peer_address):
        # Another central may have answered the advertisement first.
        if self.link.advertises(peer_address):
            super().create_le_connection(peer_address)

    def on_hci_le_create_connection_cancel_command(self, command):
        pending, self.pending_le_connection = self.pending_le_connection, None
        if pending is None:
            return hci.HCI_StatusReturnParameters(hci.HCI_ErrorCode.COMMAND_DISALLOWED_ERROR)
        peer = pending.peer_address
        self.send_hci_packet(hci.HCI_LE_Connection_Complete_Event(
            status=hci.HCI_ErrorCode.UNKNOWN_CONNECTION_IDENTIFIER_ERROR, connection_handle=0,
            role=hci.Role.CENTRAL, peer_address_type=peer.address_type, peer_address=peer,
            connection_interval=0, peripheral_latency=0, supervision_timeout=0,
            central_clock_accuracy=0))
        return super().on_hci_le_create_connection_cancel_command(command)

    def on_hci_reset_command(self, command):
        # Links, advertisements and scans end without an event (Vol 4, Part E, 7.3.2).
        for connection in list(self.le_connections.values()):
            connection.send_ll_control_pdu(
                ll.TerminateInd(hci.HCI_REMOTE_USER_TERMINATED_CONNECTION_ERROR))
        self.silence()
        return super().on_hci_reset_command(command)

    def silence(self):
        """Stops all links, advertisements and scans, as if the controller had disappeared."""
        self.le_connections.clear()
        self.le_legacy_advertiser.stop()
        for each in self.advertising_sets.values():
            each.stop()
        self.advertising_sets.clear()
        self.le_scan_enable = False
        self.pending_le_connection = None

    def lose(self, peer_address):
        """Ends the link to a peer with a supervision timeout."""
        connection = self.le_connections.get(peer_address)
        if connection is not None:
            self.on_le_disconnected(connection, LOST)


class AdapterController(AirController):
    """The controller of the kernel's adapter."""

    def send_hci_packet(self, packet):
        match packet:
            case hci.HCI_LE_Connection_Complete_Event() if self.le_features & EXTENDED:
                packet = enhanced(packet)
            case hci.HCI_LE_Advertising_Report_Event() | hci.HCI_LE_Extended_Advertising_Report_Event():
                for each in packet.reports:
                    sender = self.link.find_le_controller(each.address)
                    each.rssi = sender.strength if sender is not None else self.strength
        super().send_hci_packet(packet)


def enhanced(event):
    """Returns the enhanced event, which the kernel expects from a controller with Extended Advertising."""
    no_address = hci.Address("00:00:00:00:00:00")
    return hci.HCI_LE_Enhanced_Connection_Complete_Event(
        status=event.status, connection_handle=event.connection_handle, role=event.role,
        peer_address_type=event.peer_address_type, peer_address=event.peer_address,
        local_resolvable_private_address=no_address, peer_resolvable_private_address=no_address,
        connection_interval=event.connection_interval, peripheral_latency=event.peripheral_latency,
        supervision_timeout=event.supervision_timeout,
        central_clock_accuracy=event.central_clock_accuracy)


class Member(Channels):
    """A device in range of the adapter. The other base class provides `device` and `link()`."""

    def enter(self, world, controller):
        self.world = world
        self.controller = controller
        self.prepare_channels()

    async def do_vanish(self, _):
        peer = self.link().peer_address
        other = self.world.air.find_le_controller(peer)
        if other is not None:
            other.lose(self.link().self_address)
        self.controller.lose(peer)

    async def do_strength(self, command):
        self.controller.strength = command["rssi"]

    def leave_air(self):
        self.controller.silence()
        self.world.air.remove_controller(self.controller)


class AirPeripheral(Member, Peripheral):
    """A peripheral that follows a script."""

    def __init__(self, script, world):
        is_random = script.get("random", True)
        controller = world.controller(script.get("name"), None if is_random else script["address"])
        super().__init__(script, SimpleNamespace(source=controller, sink=AsyncPipeSink(controller)))
        self.enter(world, controller)

    def link(self):
        if self.connection is None:
            raise Failure("no central is connected")
        return self.connection

    async def begin(self):
        await self.power_on()

    async def end(self):
        await self.power_off()
        self.leave_air()


class AirNode(Member, MeshNode):
    """A mesh node."""

    def __init__(self, script, world):
        controller = world.controller(script["name"], None)
        super().__init__(script, controller, AsyncPipeSink(controller))
        self.enter(world, controller)

    async def begin(self):
        await self.start_node()

    async def end(self):
        await self.end_node()
        self.leave_air()


class AirActor(Member, ActorNode):
    """A peripheral that serves an actor."""

    def __init__(self, script, world):
        controller = world.controller("RoomSensor", None)
        super().__init__(script, controller, AsyncPipeSink(controller))
        self.enter(world, controller)

    async def begin(self):
        await self.start_node()

    async def end(self):
        await self.end_node()
        self.leave_air()


class Central(Member, ActorCalls):
    """A central with a generic GATT client, controlled by commands."""

    def __init__(self, command, world):
        address = hci.Address(command["address"], hci.Address.RANDOM_DEVICE_ADDRESS)
        controller = world.controller(command.get("name", "Central"), None)
        configuration = DeviceConfiguration(name=command.get("name", "Central"), address=address,
                                            irk=(bytes(address) * 3)[:16])
        self.device = Device.from_config_with_hci(configuration, controller, AsyncPipeSink(controller))
        self.connection = self.peer = None
        self.changed = asyncio.Condition()
        self.tasks = set()
        self.heard, self.ends = {}, []
        self.enter(world, controller)
        self.prepare_calls()

    async def begin(self):
        await self.device.power_on()

    async def end(self):
        if self.connection is not None:
            await self.do_leave({})
        await self.device.power_off()
        self.leave_air()

    def link(self):
        if self.connection is None:
            raise Failure("not connected")
        return self.connection

    async def perform(self, command):
        handler = getattr(self, "do_" + str(command.get("do")), None)
        if handler is None:
            raise Failure(f"unknown command of a central: {command.get('do')!r}")
        try:
            return await handler(command) or {}
        except att.ATT_Error as error:
            return {"code": error.error_code}

    def proxy(self, uuid):
        if self.peer is None:
            raise Failure("not connected")
        found = self.peer.get_characteristics_by_uuid(attribute_type(uuid))
        if not found:
            raise Failure(f"characteristic {uuid} was not discovered")
        return found[0]

    def note(self, uuid, value):
        self.heard.setdefault(uuid, []).append(value.hex())
        self.notify_waiters()

    def notify_waiters(self):
        async def work():
            async with self.changed:
                self.changed.notify_all()

        task = asyncio.get_running_loop().create_task(work())
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    def disconnected(self, reason):
        report_event("left", reason=int(reason))
        self.ends.append(int(reason))
        self.connection = self.peer = None
        self.notify_waiters()

    # Commands

    async def do_connect(self, command):
        kind = hci.Address.PUBLIC_DEVICE_ADDRESS
        if command.get("random"):
            kind = hci.Address.RANDOM_DEVICE_ADDRESS
        address = hci.Address(command.get("address", self.world.address), kind)
        connection = await self.device.connect(
            address, own_address_type=hci.OwnAddressType.RANDOM,
            timeout=command.get("seconds", 30))
        self.connection, self.peer = connection, Peer(connection)
        connection.on("disconnection", self.disconnected)
        if command.get("bonded"):
            # bluetoothd may answer nothing before that.
            await connection.encrypt()
        return {"attMTU": await self.peer.request_mtu(command.get("mtu", 517))}

    async def do_discover(self, command):
        services = await self.connected_peer().discover_service(attribute_type(command["service"]))
        for service in services:
            await service.discover_characteristics()
        return {"characteristics": [uuid_of(each.uuid.to_hex_str("-")) for service in services
                                    for each in service.characteristics]}

    def connected_peer(self):
        self.link()
        return self.peer

    async def do_read(self, command):
        value = await self.connected_peer().read_value(self.proxy(command["characteristic"]))
        return {"value": value.hex()}

    async def do_write(self, command):
        await self.connected_peer().write_value(
            self.proxy(command["characteristic"]), bytes_of(command["value"]),
            with_response=command.get("response", True))

    async def do_subscribe(self, command):
        uuid = uuid_of(command["characteristic"])
        await self.connected_peer().subscribe(
            self.proxy(uuid), lambda value: self.note(uuid, value),
            prefer_notify=not command.get("indications"))

    async def do_unsubscribe(self, command):
        await self.connected_peer().unsubscribe(self.proxy(command["characteristic"]))

    async def do_hear(self, command):
        uuid = uuid_of(command["characteristic"])

        def is_enough():
            return len(self.heard.get(uuid, ())) >= command["count"] or self.connection is None

        async with self.changed:
            await self.changed.wait_for(is_enough)
        return {"values": self.heard.get(uuid, [])}

    async def do_pair(self, _):
        await self.link().pair()

    async def do_leave(self, _):
        link = self.link()
        await link.disconnect(hci.HCI_REMOTE_USER_TERMINATED_CONNECTION_ERROR)

    async def do_report(self, _):
        return {"isConnected": self.connection is not None, "ends": self.ends,
                "isEncrypted": bool(self.connection and self.connection.is_encrypted),
                "heard": {uuid: len(values) for uuid, values in self.heard.items()}}


class World:
    """The adapter and the devices in its range."""

    def __init__(self, transport, options):
        self.air = Air()
        self.address = options.address
        self.members = {}
        self.controllers = 0
        self.adapter = AdapterController(
            "adapter", host_source=transport.source, host_sink=transport.sink, link=self.air,
            public_address=options.address)
        if options.extended_advertising:
            self.adapter.le_features |= EXTENDED

    def controller(self, name, public_address):
        self.controllers += 1
        own = f"00:BB:01:00:{self.controllers >> 8 & 0xFF:02X}:{self.controllers & 0xFF:02X}"
        return AirController(name or "member", link=self.air, public_address=public_address or own)

    async def perform(self, command):
        on = command.get("on")
        if on is not None:
            if on not in self.members:
                raise Failure(f"unknown device {on}")
            return await self.members[on].perform(command)
        match command.get("do"):
            case "addPeripheral":
                return await self.add(command["script"]["address"],
                                      lambda: AirPeripheral(command["script"], self))
            case "addCentral":
                return await self.add(command["address"], lambda: Central(command, self))
            case "addNode":
                return await self.add(command["script"]["address"],
                                      lambda: AirNode(command["script"], self))
            case "addActor":
                return await self.add(command["script"]["address"],
                                      lambda: AirActor(command["script"], self))
            case "remove":
                return await self.remove(command["address"])
            case "clear":
                return await self.clear()
        raise Failure(f"unknown command {command.get('do')!r}")

    async def add(self, address, make):
        if address in self.members:
            raise Failure(f"device {address} already exists")
        self.members[address] = make()
        await self.members[address].begin()

    async def remove(self, address):
        member = self.members.pop(address, None)
        if member is None:
            raise Failure(f"unknown device {address}")
        await member.end()

    async def clear(self):
        for address in list(self.members):
            await self.remove(address)


async def play(options, lines):
    tasks = set()
    stopped = asyncio.get_running_loop().create_future()
    async with await open_transport(options.transport) as transport:
        world = World(transport, options)
        report_event("ready", address=options.address)

        async def perform(line):
            command = await answer(line, world.perform)
            if command is not None and not stopped.done():
                stopped.set_result(command)

        async def read():
            # Each command runs in its own task, so that waiting commands do not block others.
            while (line := await lines.get()) is not None:
                if line:
                    task = asyncio.get_running_loop().create_task(perform(line))
                    tasks.add(task)
                    task.add_done_callback(tasks.discard)

        reader = asyncio.get_running_loop().create_task(read())
        await asyncio.wait({reader, stopped}, return_when=asyncio.FIRST_COMPLETED)
        await world.clear()
    if stopped.done():
        report(done=stopped.result().get("id"))


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0], epilog=__doc__.split("\n", 1)[1],
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--transport", default="vhci", help="bumble transport to the kernel (%(default)s)")
    parser.add_argument("--address", default=ADDRESS, help="address of the adapter (%(default)s)")
    parser.add_argument("--extended-advertising", action="store_true",
                        help="the adapter supports Extended Advertising")
    parser.add_argument("--log", default="ERROR", metavar="LEVEL", help="log level of bumble: DEBUG, INFO …")
    return parser.parse_args()


async def main():
    options = parse_arguments()
    start_log(options.log)
    loop = asyncio.get_running_loop()
    for each in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(each, asyncio.current_task().cancel)
    await play(options, lines_of_input(loop))


if __name__ == "__main__":
    try:
        asyncio.run(main())
    except asyncio.CancelledError:
        pass  # Stopped by SIGTERM or Ctrl-C.
    except (Failure, BaseBumbleError, OSError, ValueError) as error:
        sys.exit(f"bumble_air: {error}")

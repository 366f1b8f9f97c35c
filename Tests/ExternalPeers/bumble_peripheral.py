#!/usr/bin/env python3
"""A scripted peripheral, played by bumble, which is a Bluetooth host independent of BlueZ.

It plays the scripts of the simulator's class SimulatedDevice on a real or emulated controller, so that a test
can use either. It requires root and exclusive access to the controller: power the adapter off, so that
bluetoothd releases it (the adapter then disappears from the bus). The first line of standard input is the
script, each further line a command. Events and replies are one JSON object per line:

    < {"address": "C4:7C:8D:6A:1F:02", "name": "Sensor", "advertising": ["180D"], "services": [
        {"uuid": "180D", "characteristics": [{"uuid": "2A37", "flags": ["notify"],
         "behaviour": {"kind": "sends", "values": ["003c", "003d"], "everySeconds": 1}}]}]}
    > {"event": "advertising", "address": "C4:7C:8D:6A:1F:02"}
    < {"id": 1, "do": "send", "characteristic": "2A37", "value": "003c"}
    > {"done": 1}

(The script must be one line.) Values are hexadecimal, UUIDs have 4, 8 or 36 characters, flags have the names
that BlueZ uses. Behaviours: value{value}, echoes{value}, refuses{code}, accepts{values, otherwise}, silent,
leaves, late{value, afterSeconds}, sends{values, everySeconds}. Commands:

    send{characteristic, value}  setBehaviour{characteristic, behaviour}  addService{service}
    removeService{uuid}  drop  goAway  comeBack  fallSilent  setAdvertising{on}
    setManufacturerData{company, value}  pairing{accepts, io, passkey, agrees}  report  play{script}  stop

`play` replaces the script: it discards all state of the old script but keeps the controller. The program ends
on `stop`, at the end of standard input, and on SIGTERM. Exits with 1 and a message on standard error if it
fails, and with 77 if bumble is not installed. For manual use, with the script in a file:

    bumble_peripheral.py --script heart_rate.json --transport hci-socket:1
"""

import argparse
import asyncio
import errno
import fcntl
import json
import logging
import os
import signal
import socket
import struct
import sys
import threading
import time

try:
    from bumble import att, gatt, gatt_server, hci, l2cap, smp
    from bumble.core import UUID, AdvertisingData, BaseBumbleError
    from bumble.device import AdvertisingType, Device, DeviceConfiguration
    from bumble.pairing import PairingConfig, PairingDelegate
    from bumble.transport import open_transport
except ImportError as error:
    print(f"skipped: bumble is not installed ({error})", file=sys.stderr)
    sys.exit(77)

READ_NOT_PERMITTED, WRITE_NOT_PERMITTED = 0x02, 0x03
INSUFFICIENT_AUTHENTICATION, INSUFFICIENT_ENCRYPTION = 0x05, 0x0F
SERVICE_CHANGED = "00002a05-0000-1000-8000-00805f9b34fb"
USER_DESCRIPTION = "00002901-0000-1000-8000-00805f9b34fb"
PROPERTIES = {
    "broadcast": 0x01, "read": 0x02, "write-without-response": 0x04, "write": 0x08, "notify": 0x10,
    "indicate": 0x20, "authenticated-signed-writes": 0x40, "extended-properties": 0x80,
}
EXTENDED = {"reliable-write": 0x01, "writable-auxiliaries": 0x02}
SECURE_PREFIXES = ("encrypt-", "encrypt-authenticated-", "secure-")
SECURABLE = ("read", "write", "notify", "indicate")
KNOWN_FLAGS = {*PROPERTIES, *EXTENDED, *(secure + each for secure in SECURE_PREFIXES for each in SECURABLE)}
BEHAVIOURS = {"value", "echoes", "refuses", "accepts", "silent", "leaves", "late", "sends"}
HCI_DEVICE_DOWN = 0x400448CA
CAPABILITIES = {
    "NoInputNoOutput": PairingDelegate.NO_OUTPUT_NO_INPUT,
    "KeyboardOnly": PairingDelegate.KEYBOARD_INPUT_ONLY,
    "DisplayOnly": PairingDelegate.DISPLAY_OUTPUT_ONLY,
    "DisplayYesNo": PairingDelegate.DISPLAY_OUTPUT_AND_YES_NO_INPUT,
    "KeyboardDisplay": PairingDelegate.DISPLAY_OUTPUT_AND_KEYBOARD_INPUT,
}

started = time.monotonic()


class Failure(Exception):
    """A command or script cannot be performed; the text is the error message of the reply."""


def report(**values):
    print(json.dumps(values), flush=True)


def report_event(event, **values):
    report(event=event, seconds=round(time.monotonic() - started, 3), **values)


def uuid_of(text):
    short = {4: "0000", 8: ""}.get(len(text))
    if short is not None:
        text = f"{short}{text}-0000-1000-8000-00805f9b34fb"
    if len(text) != 36:
        raise Failure(f"{text} is not a UUID: use 4, 8 or 36 characters")
    return text.lower()


def attribute_type(text):
    """Returns a UUID in its shortest form, as an attribute type."""
    return UUID(text.upper() if len(text) == 4 else uuid_of(text))


def bytes_of(text):
    try:
        return bytes.fromhex(text)
    except (TypeError, ValueError):
        raise Failure(f"{text!r} is not hexadecimal") from None


def refuse(code):
    raise att.ATT_Error(code)


class Script:
    """A scripted characteristic: its behaviour, value and subscribers."""

    def __init__(self, description, peripheral):
        self.peripheral = peripheral
        self.uuid = uuid_of(description["uuid"])
        self.flags = set(description.get("flags", []))
        if self.flags - KNOWN_FLAGS:
            raise Failure(f"unknown flags: {', '.join(sorted(self.flags - KNOWN_FLAGS))}")
        self.visible = self.flags | {each for each in SECURABLE if self.secured(each)}
        self.timer = None
        self.was_listened_to = False
        self.characteristic = self.make(description.get("descriptors", []))
        self.set_behaviour(description.get("behaviour", {"kind": "value", "value": ""}))

    def make(self, descriptors):
        extended = sum(bit for word, bit in EXTENDED.items() if word in self.flags)
        if extended:
            self.visible.add("extended-properties")
        properties = gatt.Characteristic.Properties(
            sum(bit for word, bit in PROPERTIES.items() if word in self.visible))
        made = []
        readable = att.Attribute.Permissions.READABLE
        if "extended-properties" in self.visible:
            made.append(gatt.Descriptor(UUID("2900"), readable, struct.pack("<H", extended)))
        if self.visible & {"notify", "indicate"}:
            made.append(gatt.Descriptor(
                UUID("2902"), readable | att.Attribute.Permissions.WRITEABLE,
                att.AttributeValueV2(self.read_configuration, self.configure)))
        for each in descriptors:
            made.append(self.make_descriptor(each))
        # `read` and `write` check the permissions themselves, because the errors depend on the flags.
        permissions = att.Attribute.Permissions.READABLE | att.Attribute.Permissions.WRITEABLE
        return gatt.Characteristic(
            attribute_type(self.uuid_text()), properties, permissions,
            att.AttributeValueV2(self.read, self.write), made)

    def make_descriptor(self, description):
        # writable-auxiliaries makes the Characteristic User Description writable.
        is_writable = (uuid_of(description["uuid"]) == USER_DESCRIPTION
                       and "writable-auxiliaries" in self.flags)
        held = {"value": bytes_of(description["value"])}

        def write(_, value):
            if not is_writable:
                refuse(WRITE_NOT_PERMITTED)
            held["value"] = bytes(value)

        permissions = att.Attribute.Permissions.READABLE | att.Attribute.Permissions.WRITEABLE
        return gatt.Descriptor(attribute_type(description["uuid"]), permissions,
                               att.AttributeValueV2(lambda _: held["value"], write))

    def uuid_text(self):
        is_short = self.uuid.startswith("0000") and self.uuid.endswith("-0000-1000-8000-00805f9b34fb")
        return self.uuid[4:8] if is_short else self.uuid

    def secured(self, operation):
        return any(secure + operation in self.flags for secure in SECURE_PREFIXES)

    def set_behaviour(self, behaviour):
        kind = behaviour.get("kind")
        if kind not in BEHAVIOURS:
            raise Failure(f"unknown behaviour {kind!r}")
        self.kind = kind
        self.code = behaviour.get("code", behaviour.get("otherwise", 0x80))
        self.seconds = behaviour.get("afterSeconds", behaviour.get("everySeconds", 1))
        self.values = [bytes_of(each) for each in behaviour.get("values", [])]
        self.value = bytes_of(behaviour.get("value", ""))
        self.stop_timer()
        self.update_timer()

    # Reading and writing

    def check_link(self, bearer, operation):
        connection = bearer.connection if att.is_enhanced_bearer(bearer) else bearer
        if not self.secured(operation):
            return
        if not connection.is_encrypted:
            refuse(INSUFFICIENT_ENCRYPTION)
        authenticated = {f"encrypt-authenticated-{operation}", f"secure-{operation}"}
        if self.flags & authenticated and not connection.authenticated:
            refuse(INSUFFICIENT_AUTHENTICATION)

    async def read(self, bearer):
        self.peripheral.reads.append(self.uuid)
        if "read" not in self.visible:
            refuse(READ_NOT_PERMITTED)
        self.check_link(bearer, "read")
        match self.kind:
            case "refuses":
                refuse(self.code)
            case "accepts":
                refuse(READ_NOT_PERMITTED)
            case "silent":
                await self.peripheral.end_of_link(bearer)
            case "leaves":
                await self.peripheral.leave(bearer)
            case "late":
                await asyncio.sleep(self.seconds)
        return self.value

    async def write(self, bearer, value):
        # Also accept Write Requests if only write-without-response is set, as real peripherals do.
        if not self.visible & {"write", "write-without-response"}:
            refuse(WRITE_NOT_PERMITTED)
        self.check_link(bearer, "write")
        if self.kind == "silent":
            await self.peripheral.end_of_link(bearer)
        if self.kind == "leaves":
            await self.peripheral.leave(bearer)
        code = self.refusal(value)
        if code is not None:
            refuse(code)
        self.store(value)

    def command(self, value):
        """Performs a Write Command, which has no response."""
        if "write-without-response" not in self.flags or self.kind == "silent":
            return
        if self.refusal(value) is None:
            self.store(value)

    def refusal(self, value):
        match self.kind:
            case "refuses":
                return self.code
            case "accepts":
                return None if value in self.values else self.code
            case "sends":
                return WRITE_NOT_PERMITTED
        return None

    def store(self, value):
        self.value = bytes(value)
        self.peripheral.writes.append({"characteristic": self.uuid, "value": self.value.hex()})
        report_event("written", characteristic=self.uuid, value=self.value.hex())
        if self.kind == "echoes":
            self.send(self.value)

    # Subscribers

    def listeners(self):
        handle = self.characteristic.handle
        configured = ((bearer, cccds.get(handle))
                      for bearer, cccds in self.peripheral.server.subscribers.items())
        return [(bearer, value[0]) for bearer, value in configured if value and value[0]]

    def read_configuration(self, bearer):
        return self.peripheral.server.read_cccd(bearer, self.characteristic)

    def configure(self, bearer, value):
        if len(value) != 2:
            refuse(att.ATT_INVALID_ATTRIBUTE_LENGTH_ERROR)
        for operation in ("notify", "indicate"):
            if any(value):
                self.check_link(bearer, operation)
        if self.kind == "refuses" and any(value):
            refuse(self.code)
        self.peripheral.server.write_cccd(bearer, self.characteristic, bytes(value))
        report_event("subscribed" if any(value) else "unsubscribed", characteristic=self.uuid,
                     configuration=value[0])
        self.update_timer()

    def send(self, value):
        listeners = self.listeners()
        if not listeners:
            return
        self.peripheral.sent.append({"characteristic": self.uuid, "value": value.hex()})
        for bearer, configuration in listeners:
            self.peripheral.deliver(bearer, self.characteristic, value, bool(configuration & 1))

    def update_timer(self):
        """Starts the sequence of values for the first subscriber; stops it after the last has left."""
        listened = bool(self.listeners())
        if not listened:
            self.stop_timer()
        elif self.timer is None and self.kind == "sends" and self.values:
            self.run(0)

    def run(self, index):
        def tick():
            self.run((index + 1) % len(self.values))
            self.value = self.values[index]
            self.send(self.value)

        self.timer = asyncio.get_running_loop().call_later(self.seconds, tick)

    def stop_timer(self):
        if self.timer is not None:
            self.timer.cancel()
            self.timer = None


class Server(gatt_server.Server):
    """bumble's GATT server, with removable services and a mute mode."""

    last_handle = 0
    is_mute = False

    def next_handle(self):
        return self.last_handle + 1

    def add_attribute(self, attribute):
        super().add_attribute(attribute)
        self.last_handle = attribute.handle

    def remove_service(self, service):
        """Removes a service; its handles are never reused."""
        self.services.remove(service)
        handles = range(service.handle, service.end_group_handle + 1)
        self.attributes = [each for each in self.attributes if each.handle not in handles]
        for handle in handles:
            self.attributes_by_handle.pop(handle, None)
            for cccds in self.subscribers.values():
                cccds.pop(handle, None)

    def on_gatt_pdu(self, bearer, att_pdu):
        is_confirmation = att_pdu.op_code == att.Opcode.ATT_HANDLE_VALUE_CONFIRMATION
        if not self.is_mute or is_confirmation:
            super().on_gatt_pdu(bearer, att_pdu)

    def on_att_write_command(self, bearer, request):
        attribute = self.get_attribute(request.attribute_handle)
        for script in self.device.scripts:
            if script.characteristic is attribute:
                script.command(request.attribute_value)


class Delegate(PairingDelegate):
    """Accepts or rejects pairing as the script specifies."""

    accepts = True

    async def accept(self):
        return self.accepts

    async def confirm(self, auto=False):
        return self.accepts

    async def compare_numbers(self, number, digits):
        report_event("number", value=f"{number:0{digits}}")
        return self.accepts and self.agrees

    async def generate_passkey(self):
        return await super().generate_passkey() if self.passkey is None else self.passkey

    async def get_number(self):
        return await super().get_number() if self.passkey is None else self.passkey

    async def display_number(self, number, digits):
        report_event("number", value=f"{number:0{digits}}")


class Peripheral:
    """A peripheral that plays a script on a controller."""

    def __init__(self, script, transport):
        self.name = script.get("name")
        self.is_random = script.get("random", True)
        self.is_connectable = script.get("connectable", True)
        self.is_discoverable = script.get("discoverable", True)
        self.advertising = script.get("advertising", [])
        self.manufacturer_data = {}
        self.in_range = self.advertises = True
        self.on_air = None
        self.air = asyncio.Lock()
        self.connection = None
        self.link_ended = None
        self.deliveries = set()
        self.reads, self.writes, self.sent = [], [], []
        self.io = PairingDelegate.NO_OUTPUT_NO_INPUT
        self.accepts_pairing = script.get("acceptsPairing", True)
        self.set_pairing(script.get("pairing", {}))
        address = script.get("address")
        if self.is_random and address is None:
            raise Failure("the script has no address")
        kind = hci.Address.RANDOM_DEVICE_ADDRESS
        self.device = self.make_device(
            hci.Address(address, kind) if self.is_random else None, transport)
        self.wanted_address = address
        self.device.scripts = []
        self.server = self.device.gatt_server = Server(self.device)
        self.server.max_mtu = script.get("mtu", 517)
        self.device.add_default_services()
        for service in script.get("services", []):
            self.add(service)

    def make_device(self, address, transport):
        configuration = DeviceConfiguration(
            name=self.name or "", gap_service_enabled=False, gatt_service_enabled=False,
            advertising_interval_min=100, advertising_interval_max=100)
        kind = PairingConfig.AddressType.PUBLIC
        if address is not None:
            configuration.address = address
            configuration.irk = (bytes(address) * 3)[:16]
            kind = PairingConfig.AddressType.RANDOM
        device = Device.from_config_with_hci(configuration, transport.source, transport.sink)
        device.pairing_config_factory = lambda _: self.pairing_configuration(kind)
        device.on("connection", self.connected)
        return device

    def set_pairing(self, description):
        """Sets the I/O capability, the passkey, and whether the device accepts pairing and confirms numbers."""
        self.accepts_pairing = self.accepts_pairing and bool(description.get("accepts", True))
        self.agrees_to_numbers = bool(description.get("agrees", True))
        self.passkey = description.get("passkey")
        io = description.get("io", "NoInputNoOutput")
        if io not in CAPABILITIES:
            raise Failure(f"unknown I/O capability {io!r}; known: {', '.join(CAPABILITIES)}")
        self.io = CAPABILITIES[io]

    def pairing_configuration(self, kind):
        delegate = Delegate(self.io)
        delegate.accepts = self.accepts_pairing
        delegate.agrees, delegate.passkey = self.agrees_to_numbers, self.passkey
        # Without input and output, only Just Works is possible.
        mitm = self.io != PairingDelegate.NO_OUTPUT_NO_INPUT
        return PairingConfig(sc=True, mitm=mitm, bonding=True, delegate=delegate,
                             identity_address_type=kind)

    async def power_on(self):
        await self.device.power_on()
        if not self.is_random:
            own = self.device.public_address.to_string(with_type_qualifier=False)
            if self.wanted_address not in (None, own):
                raise Failure(f"the controller's public address is {own}, not "
                              f"{self.wanted_address}; only random addresses can be set")
        await self.update_advertising()

    # Services

    def add(self, description):
        scripts = [Script(each, self) for each in description.get("characteristics", [])]
        wanted = [attribute_type(each) for each in description.get("includes", [])]
        included = [each for each in self.server.attributes
                    if isinstance(each, gatt.Service) and each.uuid in wanted]
        service = gatt.Service(attribute_type(description["uuid"]),
                               [each.characteristic for each in scripts],
                               description.get("primary", True), included)
        self.server.add_service(service)
        self.device.scripts += scripts
        return service

    def scripts(self, uuid):
        wanted = uuid_of(uuid)
        found = [each for each in self.device.scripts if each.uuid == wanted]
        if not found:
            raise Failure(f"unknown characteristic {uuid}")
        return found

    async def indicate_service_changed(self, services):
        """Sends a Service Changed indication to the central, if it is subscribed."""
        ranges = struct.pack("<HH", min(each.handle for each in services),
                             max(each.end_group_handle for each in services))
        changed = self.device.gatt_service.service_changed_characteristic
        for bearer, cccds in list(self.server.subscribers.items()):
            if cccds.get(changed.handle, b"\0")[0] & 2:
                self.deliver(bearer, changed, ranges, False)

    def deliver(self, bearer, characteristic, value, is_notification):
        send = self.server.notify_subscriber if is_notification else self.server.indicate_subscriber
        if att.is_enhanced_bearer(bearer) or is_notification:
            work = send(bearer, characteristic, value)
        else:
            work = self.server._indicate_single_bearer(bearer, characteristic, value, False)
        # An indication lasts until its confirmation; the caller does not wait for it.
        task = asyncio.get_running_loop().create_task(work)
        self.deliveries.add(task)
        task.add_done_callback(self.delivered)

    def delivered(self, task):
        self.deliveries.discard(task)
        if not task.cancelled() and task.exception() is not None:
            report_event("undelivered", error=str(task.exception()))

    # Advertising and links

    def advertisement(self):
        content = []
        if self.is_discoverable:
            content.append((AdvertisingData.FLAGS, bytes([0x06])))
        kinds = ((2, AdvertisingData.COMPLETE_LIST_OF_16_BIT_SERVICE_CLASS_UUIDS),
                 (4, AdvertisingData.COMPLETE_LIST_OF_32_BIT_SERVICE_CLASS_UUIDS),
                 (16, AdvertisingData.COMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS))
        uuids = [attribute_type(each).to_bytes() for each in self.advertising]
        for size, kind in kinds:
            of_size = b"".join(each for each in uuids if len(each) == size)
            if of_size:
                content.append((kind, of_size))
        for company, value in self.manufacturer_data.items():
            content.append((AdvertisingData.MANUFACTURER_SPECIFIC_DATA,
                            struct.pack("<H", company) + value))
        if self.name is not None:
            content.append((AdvertisingData.COMPLETE_LOCAL_NAME, self.name.encode()))
        data = bytes(AdvertisingData(content))
        if len(data) > 31:
            raise Failure(f"the advertisement has {len(data)} bytes; the maximum is 31")
        return data

    async def power_off(self):
        self.advertises = False
        await self.update_advertising()
        await self.end_link(hci.HCI_REMOTE_USER_TERMINATED_CONNECTION_ERROR)
        for script in self.device.scripts:
            script.stop_timer()
        await self.device.power_off()

    async def update_advertising(self):
        """Starts, changes or stops advertising as the state requires; stops it while connected."""
        async with self.air:
            free = self.connection is None and self.in_range and self.advertises
            wanted = (self.advertisement(), self.is_connectable) if free else None
            if wanted == self.on_air:
                return
            if self.on_air is not None:
                await self.device.stop_advertising()
                self.on_air = None
            if wanted is not None:
                # A central may connect before `advertise` returns; this resets `on_air` again.
                self.on_air = wanted
                try:
                    await self.advertise(wanted[0])
                except Exception:
                    self.on_air = None
                    raise

    async def advertise(self, data):
        kind = AdvertisingType.UNDIRECTED_CONNECTABLE_SCANNABLE
        if not self.is_connectable:
            kind = AdvertisingType.UNDIRECTED_SCANNABLE
        own = hci.OwnAddressType.RANDOM if self.is_random else hci.OwnAddressType.PUBLIC
        await self.device.start_advertising(
            advertising_type=kind, own_address_type=own, advertising_data=data)
        address = self.device.random_address if self.is_random else self.device.public_address
        report_event("advertising", address=address.to_string(with_type_qualifier=False))

    def connected(self, connection):
        self.connection = connection
        self.link_ended = asyncio.get_running_loop().create_future()
        # The controller stops advertising when a central connects.
        self.on_air = None
        report_event("connected", peer=connection.peer_address.to_string(False))
        connection.on("disconnection", self.disconnected)
        connection.on("pairing", lambda keys: report_event("paired"))
        connection.on("pairing_failure",
                      lambda reason: report_event("pairing failed", reason=str(reason)))

    def disconnected(self, reason):
        report_event("disconnected", reason=int(reason))
        self.connection = None
        self.link_ended.cancel()
        for task in list(self.deliveries):
            task.cancel()
        loop = asyncio.get_running_loop()
        # bumble removes the subscriptions after this callback.
        loop.call_soon(lambda: [each.update_timer() for each in self.device.scripts])
        task = loop.create_task(self.update_advertising())
        self.deliveries.add(task)
        task.add_done_callback(self.delivered)

    async def end_of_link(self, _):
        """Waits until the link ends, then cancels the pending response."""
        await asyncio.shield(self.link_ended)

    async def leave(self, bearer):
        """Disconnects instead of responding."""
        await self.connection.disconnect(hci.HCI_REMOTE_USER_TERMINATED_CONNECTION_ERROR)
        await self.end_of_link(bearer)

    async def end_link(self, reason):
        if self.connection is not None:
            ended = asyncio.get_running_loop().create_future()
            self.connection.once("disconnection", lambda _: ended.done() or ended.set_result(None))
            await asyncio.wait_for(self.connection.disconnect(reason), 5)
            await asyncio.wait_for(ended, 5)
        await self.update_advertising()

    # Commands

    async def perform(self, command):
        handler = getattr(self, "do_" + str(command.get("do")), None)
        if handler is None:
            raise Failure(f"unknown command {command.get('do')!r}")
        return await handler(command) or {}

    async def do_send(self, command):
        for script in self.scripts(command["characteristic"]):
            script.send(bytes_of(command["value"]))

    async def do_setBehaviour(self, command):
        for script in self.scripts(command["characteristic"]):
            script.set_behaviour(command["behaviour"])

    async def do_addService(self, command):
        await self.indicate_service_changed([self.add(command["service"])])

    async def do_removeService(self, command):
        wanted = uuid_of(command["uuid"])
        gone = [each for each in self.server.services
                if uuid_of(each.uuid.to_hex_str("-")) == wanted]
        if not gone:
            raise Failure(f"unknown service {command['uuid']}")
        for service in gone:
            for script in list(self.device.scripts):
                if script.characteristic in service.characteristics:
                    script.stop_timer()
                    self.device.scripts.remove(script)
            self.server.remove_service(service)
        await self.indicate_service_changed(gone)

    async def do_drop(self, _):
        await self.end_link(hci.HCI_REMOTE_USER_TERMINATED_CONNECTION_ERROR)

    async def do_goAway(self, _):
        self.in_range = False
        await self.update_advertising()
        await self.end_link(hci.HCI_REMOTE_DEVICE_TERMINATED_CONNECTION_DUE_TO_POWER_OFF_ERROR)

    async def do_comeBack(self, _):
        self.in_range = True
        self.server.is_mute = False
        await self.update_advertising()

    async def do_fallSilent(self, _):
        self.server.is_mute = True

    async def do_setAdvertising(self, command):
        self.advertises = bool(command["on"])
        await self.update_advertising()

    async def do_setManufacturerData(self, command):
        before = dict(self.manufacturer_data)
        self.manufacturer_data.pop(command["company"], None)
        if command.get("value") is not None:
            self.manufacturer_data[command["company"]] = bytes_of(command["value"])
        try:
            self.advertisement()
        except Failure:
            self.manufacturer_data = before
            raise
        await self.update_advertising()

    async def do_pairing(self, command):
        self.accepts_pairing = True
        self.set_pairing(command)

    async def do_report(self, _):
        listeners = {}
        for script in self.device.scripts:
            listeners[script.uuid] = listeners.get(script.uuid, 0) + len(script.listeners())
        keys = await self.device.keystore.get_all() if self.device.keystore else []
        return {"reads": self.reads, "writes": self.writes, "sent": self.sent, "listeners": listeners,
                "isConnected": self.connection is not None, "isBonded": bool(keys),
                "isEncrypted": bool(self.connection and self.connection.is_encrypted),
                "attMTU": self.connection.att_mtu if self.connection else None}


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0], epilog=__doc__.split("\n", 1)[1],
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--transport", default="hci-socket:1",
                        help="bumble transport of the controller (%(default)s)")
    parser.add_argument("--take", action="store_true",
                        help="take the controller from bluetoothd if bluetoothd uses it")
    parser.add_argument("--script", metavar="FILE", help="read the script from a file instead of "
                        "standard input; the program then continues after the end of standard input")
    parser.add_argument("--log", default="ERROR", metavar="LEVEL", help="log level of bumble: DEBUG, INFO …")
    return parser.parse_args()


def lines_of_input(loop):
    """Returns a queue of the lines of standard input; `None` marks the end."""
    lines = asyncio.Queue()

    def put(line):
        try:
            loop.call_soon_threadsafe(lines.put_nowait, line)
        except RuntimeError:
            pass  # The loop is closed: discard the line.

    def read():
        rest = b""
        while data := os.read(0, 65536):
            *whole, rest = (rest + data).split(b"\n")
            for line in whole:
                put(line)
        put(None)

    threading.Thread(target=read, daemon=True).start()
    return lines


def object_of(text):
    try:
        value = json.loads(text)
    except ValueError as error:
        raise Failure(f"not JSON: {error}") from None
    if not isinstance(value, dict):
        raise Failure("not a JSON object")
    return value


class Player:
    """Plays one script after another on the same controller."""

    def __init__(self, transport):
        self.transport = transport
        self.peripheral = None

    async def play(self, script):
        await self.end()
        self.peripheral = Peripheral(script, self.transport)
        await self.peripheral.power_on()

    async def end(self):
        if self.peripheral is not None:
            await self.peripheral.power_off()
            self.peripheral = None

    async def perform(self, command):
        if command.get("do") == "play":
            return await self.play(command["script"])
        if self.peripheral is None:
            raise Failure("no script is playing")
        return await self.peripheral.perform(command)


async def answer(line, perform):
    """Performs a command and prints the reply; returns the command if it is `stop`."""
    command = {}
    try:
        command = object_of(line)
        if command.get("do") == "stop":
            return command
        report(done=command.get("id"), **(await perform(command) or {}))
    except KeyError as error:
        report(done=command.get("id"), error=f"{error} is missing")
    except (Failure, BaseBumbleError, asyncio.TimeoutError, ValueError) as error:
        report(done=command.get("id"), error=str(error) or type(error).__name__)
    return None


async def take(transport):
    """Opens the controller; if it is busy, powers its adapter off first, so that bluetoothd releases it."""
    kind, _, index = transport.partition(":")
    deadline = time.monotonic() + 10
    while True:
        try:
            return await open_transport(transport)
        except OSError as error:
            if kind != "hci-socket" or error.errno != errno.EBUSY or time.monotonic() > deadline:
                raise
        with socket.socket(socket.AF_BLUETOOTH, socket.SOCK_RAW, socket.BTPROTO_HCI) as control:
            fcntl.ioctl(control, HCI_DEVICE_DOWN, int(index or 0))
        # A new controller is busy during its setup: retry.
        await asyncio.sleep(0.1)


async def play(options, script, lines):
    opened = take(options.transport) if options.take else open_transport(options.transport)
    async with await opened as transport:
        player = Player(transport)
        stop = None
        try:
            await player.play(script)
            while stop is None:
                line = await lines.get()
                if line is None and options.script is None:
                    break
                if line:
                    stop = await answer(line, player.perform)
        finally:
            await player.end()
    if stop is not None:
        report(done=stop.get("id"))


def start_log(level):
    """Sets the level of bumble's log.

    bumble formats each packet for its log even if nothing is logged, which is 40 % of its work: without DEBUG,
    a packet has its class as text, and nothing is coloured.
    """
    logging.basicConfig(level=level.upper())
    if logging.getLogger("bumble").isEnabledFor(logging.DEBUG):
        return
    classes = [hci.HCI_Packet, att.ATT_PDU, l2cap.L2CAP_PDU, l2cap.L2CAP_Control_Frame, smp.SMP_Command]
    while classes:
        each = classes.pop()
        classes += each.__subclasses__()
        if "__str__" in vars(each):
            each.__str__ = object.__repr__
    for each in list(sys.modules.values()):
        if each.__name__.startswith("bumble.") and hasattr(each, "color"):
            each.color = lambda text, *_, **__: text


async def main():
    options = parse_arguments()
    start_log(options.log)
    loop = asyncio.get_running_loop()
    for each in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(each, asyncio.current_task().cancel)
    lines = lines_of_input(loop)
    if options.script is None:
        text = await lines.get()
        if text is None:
            raise Failure("standard input ended before the script")
    else:
        with open(options.script, encoding="utf-8") as file:
            text = file.read()
    script = object_of(text)
    try:
        await play(options, script, lines)
    except OSError as error:
        messages = {
            errno.EBUSY: "the controller is in use; power its adapter off in bluetoothd first, or use --take",
            errno.ENODEV: "controller not found",
            errno.EPERM: "opening a controller requires root",
        }
        raise Failure(f"{options.transport}: {messages.get(error.errno, error)}") from None


if __name__ == "__main__":
    try:
        asyncio.run(main())
    except asyncio.CancelledError:
        pass  # Stopped by SIGTERM or Ctrl-C; all changes are undone.
    except KeyError as error:
        sys.exit(f"bumble_peripheral: the script lacks {error}")
    except (Failure, BaseBumbleError, OSError, ValueError) as error:
        sys.exit(f"bumble_peripheral: {error}")
    except Exception as error:  # bumble raises plain `Exception`.
        sys.exit(f"bumble_peripheral: {type(error).__name__}: {error}")

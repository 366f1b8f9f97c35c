"""A mesh node on a bumble device, for `bumble_air.py`.

It implements only the documented protocol of the mesh and shares no code with MeshPeer. A node advertises the
mesh service, serves TX, RX, ID and PSM, and dials other nodes. It is a central and a peripheral at the same
time. Its script:

    {"address": "C0:00:00:00:00:01", "name": "A", "identity": "0a0b", "advertises": true,
     "omits": ["ID"], "behaviour": "plays"}

`omits` names characteristics that the service lacks. Behaviours: `plays` follows the protocol; `silent` replies
to no request; `floods` continuously notifies every subscriber. Commands:

    dial{address, random, seconds}  connects to the adapter or to `address`, discovers the service, subscribes
                                    to RX and reads ID; the reply has the identity as `value`
    write{values, response}         writes to TX of the dialled node, one value at a time
    notify{values}                  notifies the subscribers of RX
    taken{count}                    waits for `count` writes to TX; the reply has them as `values`
    heard{count}                    waits for `count` notifications; the reply has them as `values`
    subscribed{count}               waits for `count` subscribers of RX
    readIdentity  readPSM           read from the dialled node
    rotate{identity}                stops advertising, changes ID, and advertises again
    publish{mtu, credits, behaviour}    listens on a free PSM and sets the characteristic PSM to it
    setAdvertising{on}  goAway  comeBack  leave  report

Commands for channels are in `bumble_channels.py`.
"""

import asyncio
import struct

from bumble import att, hci
from bumble.core import AdvertisingData, UUID
from bumble.device import AdvertisingType, Device, DeviceConfiguration, Peer
from bumble.gatt import Characteristic, Service

from bumble_peripheral import Failure, bytes_of, report_event

SERVICE = UUID("6E400001-B5A3-F393-E0A9-E50E24DCCA9E")
UUIDS = {
    "TX": UUID("6E400002-B5A3-F393-E0A9-E50E24DCCA9E"),
    "RX": UUID("6E400003-B5A3-F393-E0A9-E50E24DCCA9E"),
    "ID": UUID("6E400004-B5A3-F393-E0A9-E50E24DCCA9E"),
    "PSM": UUID("ABDD3056-28FA-441D-A470-55A75A52553A"),
}
BEHAVIOURS = ("plays", "silent", "floods")
MAXIMUM_IDENTITY = 24


class MeshNode:
    """A node that follows a script; a subclass adds the controller and the channels."""

    def __init__(self, script, controller, sink):
        self.behaviour = script.get("behaviour", "plays")
        if self.behaviour not in BEHAVIOURS:
            raise Failure(f"unknown behaviour of a node: {self.behaviour!r}")
        self.name = script["name"]
        self.identity = bytes_of(script.get("identity", ""))
        self.psm = 0
        self.advertises = script.get("advertises", True)
        self.connection = self.dialled = None
        self.taken, self.heard = [], []
        self.changed = asyncio.Condition()
        self.advertising = asyncio.Lock()
        self.tasks = set()
        self.device = self.make_device(script["address"], controller, sink)
        self.add_service(script.get("omits", []))

    def make_device(self, address, controller, sink):
        address = hci.Address(address, hci.Address.RANDOM_DEVICE_ADDRESS)
        device = Device.from_config_with_hci(
            DeviceConfiguration(name=self.name, address=address, irk=(bytes(address) * 3)[:16],
                                advertising_interval_min=100, advertising_interval_max=100),
            controller, sink)
        device.on("connection", self.connected)
        device.gatt_server.max_mtu = 517
        return device

    def add_service(self, omitted):
        properties = Characteristic.Properties
        readable = att.Attribute.Permissions.READABLE
        writable = att.Attribute.Permissions.WRITEABLE
        rows = {
            "TX": (properties.WRITE | properties.WRITE_WITHOUT_RESPONSE, writable,
                   att.AttributeValueV2(self.refuse_read, self.take)),
            "RX": (properties.NOTIFY, readable, b""),
            "ID": (properties.READ, readable,
                   att.AttributeValueV2(lambda _: self.served(self.identity))),
            "PSM": (properties.READ, readable,
                    att.AttributeValueV2(lambda _: self.served(struct.pack("<H", self.psm)))),
        }
        characteristics = {name: Characteristic(UUIDS[name], *row) for name, row in rows.items()
                           if name not in omitted}
        self.rx = characteristics.get("RX")
        if self.rx is not None:
            self.rx.on("subscription", lambda *_: self.subscription_changed())
        self.device.add_service(Service(SERVICE, list(characteristics.values())))
        if self.behaviour == "silent":
            self.device.gatt_server.on_gatt_pdu = lambda bearer, pdu: None

    # The server

    @staticmethod
    def refuse_read(_):
        raise att.ATT_Error(att.ATT_READ_NOT_PERMITTED_ERROR)

    @staticmethod
    def served(value):
        return value

    def take(self, _, value):
        self.taken.append(bytes(value))
        self.notify_waiters()

    def subscribers(self):
        if self.rx is None:
            return []
        return [bearer for bearer, cccds in self.device.gatt_server.subscribers.items()
                if any(cccds.get(self.rx.handle, b""))]

    def subscription_changed(self):
        report_event("subscribers", count=len(self.subscribers()))
        self.notify_waiters()
        if self.behaviour == "floods":
            self.spawn(self.flood())

    async def flood(self):
        number = 0
        while self.subscribers():
            await self.device.notify_subscribers(self.rx, struct.pack("<I", number) + bytes(16))
            number += 1
            await asyncio.sleep(0)

    # Advertising and links

    def advertisement(self):
        return bytes(AdvertisingData([
            (AdvertisingData.FLAGS, bytes([0x06])),
            (AdvertisingData.COMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS, SERVICE.to_bytes()),
            (AdvertisingData.COMPLETE_LOCAL_NAME, self.name.encode()[:8]),
        ]))

    async def update_advertising(self):
        """Starts or stops advertising. Also called after each connection, which ends advertising."""
        async with self.advertising:
            await self.device.stop_advertising()
            if self.advertises:
                await self.device.start_advertising(
                    advertising_type=AdvertisingType.UNDIRECTED_CONNECTABLE_SCANNABLE,
                    own_address_type=hci.OwnAddressType.RANDOM,
                    advertising_data=self.advertisement())

    def connected(self, connection):
        report_event("connected", peer=connection.peer_address.to_string(False))
        self.connection = connection
        connection.on("disconnection", lambda reason: self.disconnected(connection, reason))
        self.notify_waiters()
        self.spawn(self.update_advertising())

    def disconnected(self, connection, reason):
        report_event("disconnected", reason=int(reason))
        if self.connection is connection:
            self.connection = self.dialled = None
        # bumble removes the subscriptions after this callback.
        asyncio.get_running_loop().call_soon(self.notify_waiters)

    def link(self):
        if self.connection is None:
            raise Failure("not connected")
        return self.connection

    async def start_node(self):
        await self.device.power_on()
        await self.update_advertising()

    async def end_node(self):
        await self.do_goAway({})
        for task in list(self.tasks):
            task.cancel()
        await self.device.power_off()

    # Waiting

    def spawn(self, work):
        task = asyncio.get_running_loop().create_task(work)
        self.tasks.add(task)
        task.add_done_callback(self.done)

    def done(self, task):
        self.tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            report_event("failed", error=str(task.exception()))

    def notify_waiters(self):
        async def work():
            async with self.changed:
                self.changed.notify_all()

        self.spawn(work())

    async def until(self, condition):
        async with self.changed:
            await self.changed.wait_for(condition)

    # Commands

    async def perform(self, command):
        handler = getattr(self, "do_" + str(command.get("do")), None)
        if handler is None:
            raise Failure(f"unknown command of a node: {command.get('do')!r}")
        try:
            return await handler(command) or {}
        except att.ATT_Error as error:
            return {"code": error.error_code}

    async def do_dial(self, command):
        kind = (hci.Address.RANDOM_DEVICE_ADDRESS if command.get("random")
                else hci.Address.PUBLIC_DEVICE_ADDRESS)
        address = hci.Address(command.get("address", self.world.address), kind)
        if self.connection is None:
            await self.device.connect(address, own_address_type=hci.OwnAddressType.RANDOM,
                                      timeout=command.get("seconds", 30))
        peer = Peer(self.link())
        await peer.request_mtu(517)
        services = await peer.discover_service(SERVICE)
        if not services:
            raise Failure("the peer has no mesh service")
        await services[0].discover_characteristics()
        found = {name: characteristic for name, uuid in UUIDS.items()
                 for characteristic in services[0].get_characteristics_by_uuid(uuid)}
        missing = {"TX", "RX", "ID"} - set(found)
        if missing:
            raise Failure(f"the mesh service lacks {', '.join(sorted(missing))}")
        await found["RX"].discover_descriptors()
        await found["RX"].subscribe(self.note)
        self.dialled = found
        return await self.do_readIdentity(command)

    def note(self, value):
        self.heard.append(bytes(value))
        self.notify_waiters()

    def dialled_characteristic(self, name):
        self.link()
        if self.dialled is None:
            raise Failure("no node was dialled; use dial first")
        if name not in self.dialled:
            raise Failure(f"the mesh service lacks {name}")
        return self.dialled[name]

    async def do_readIdentity(self, _):
        return {"value": (await self.dialled_characteristic("ID").read_value()).hex()}

    async def do_readPSM(self, _):
        value = await self.dialled_characteristic("PSM").read_value()
        if len(value) != 2:
            raise Failure(f"the value of PSM has {len(value)} bytes instead of 2")
        return {"psm": struct.unpack("<H", value)[0]}

    async def do_write(self, command):
        # Each write waits for the response to the previous write.
        for value in command["values"]:
            await self.dialled_characteristic("TX").write_value(bytes_of(value), command.get("response", True))

    async def do_notify(self, command):
        if not self.subscribers():
            raise Failure("RX has no subscriber")
        for value in command["values"]:
            await self.device.notify_subscribers(self.rx, bytes_of(value))

    async def do_taken(self, command):
        await self.until(lambda: len(self.taken) >= command["count"])
        return {"values": [each.hex() for each in self.taken]}

    async def do_heard(self, command):
        await self.until(lambda: len(self.heard) >= command["count"])
        return {"values": [each.hex() for each in self.heard]}

    async def do_subscribed(self, command):
        await self.until(lambda: len(self.subscribers()) >= command["count"])

    async def do_rotate(self, command):
        identity = bytes_of(command["identity"])
        if len(identity) > MAXIMUM_IDENTITY:
            raise Failure(f"an identity has at most {MAXIMUM_IDENTITY} bytes")
        async with self.advertising:
            await self.device.stop_advertising()
        self.identity = identity
        await self.update_advertising()

    async def do_publish(self, command):
        answer = await self.do_listen({**command, "psm": 0})
        self.psm = answer["psm"]
        return answer

    async def do_setAdvertising(self, command):
        self.advertises = bool(command["on"])
        await self.update_advertising()

    async def do_goAway(self, _):
        self.advertises = False
        await self.update_advertising()
        if self.connection is not None:
            await self.do_leave({})

    async def do_comeBack(self, _):
        self.advertises = True
        await self.update_advertising()

    async def do_leave(self, _):
        await self.link().disconnect(hci.HCI_REMOTE_USER_TERMINATED_CONNECTION_ERROR)
        await self.until(lambda: self.connection is None)

    async def do_report(self, _):
        return {"isConnected": self.connection is not None, "value": self.identity.hex(),
                "listeners": {"RX": len(self.subscribers())},
                "count": len(self.taken)}

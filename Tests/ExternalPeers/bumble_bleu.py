"""Distributed actors over Bluetooth on bumble devices, for `bumble_air.py`.

An independent implementation of the frames in Documentation/BleuProtocol.md; it shares no code with Bleu.
It implements both sides. The peripheral serves the actor `RoomSensor` of the tests. Its script:

    {"address": "C0:00:00:00:00:01", "passkey": 123456}

`passkey` is optional; if present, the characteristics require an encrypted link. Commands of the peripheral:

    misbehave{how}         corrupts the next reply, see `malformed_frames`
    setAdvertising{on}     leave     report{}: returns the number of received calls

Further commands of a central:

    openActor{type}                       discovers the service of the actor
    readActor{method}                     reads the result; fetches it if it does not fit into the read
    callActor{method, arguments, oneWay}  calls a method; `arguments` is the text of a JSON array
    streamActor{method, arguments, count} receives elements; cancels after `count` elements
    subscribeActor{method, count}         writes no frame; receives `count` elements and unsubscribes
    sendNoise{method, count, seed}        writes frames of random bytes
    breakOff{method}                      disconnects in the middle of a message
    setPairing{io, passkey}               sets the I/O capability and the passkey of the next pairing
    agree{method}                         agrees on the keys of AES-GCM, with which later messages are sealed
    prepareCall{method, arguments}        returns the frames of a call as `values`, and does not send them
    writeFrames{method, values}           writes such frames, of this central or another
    numbers{}                             returns the session and the last call as `value`
    imitate{method, arguments, value}     writes each kind of message with these numbers of another central

A reply to the calls has the name of the last message as `kind`, its body as `text`, and the JSON texts of received
stream elements as `values`.
"""

import asyncio
import dataclasses
import inspect
import json
import random
import struct
import uuid
import zlib

from bumble import att, hci
from bumble.core import AdvertisingData, UUID
from bumble.device import AdvertisingType, Device, DeviceConfiguration
from bumble.gatt import Characteristic, Service
from bumble.pairing import PairingConfig
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from bumble_peripheral import CAPABILITIES, Delegate, Failure, report_event

NAMESPACE = uuid.UUID("6E400001-B5A3-F393-E0A9-E50E24DCCA9E")
VERSION = 1
CALL, FETCH, CANCEL, CREDIT, HELLO = 1, 2, 3, 4, 5
VALUE, NOTHING, FAILURE, REFUSAL, STREAM, ELEMENT, END, HELLO_REPLY = 8, 9, 10, 11, 12, 13, 14, 15
NAMES = {VALUE: "value", NOTHING: "nothing", FAILURE: "failure", REFUSAL: "refusal",
         STREAM: "stream", ELEMENT: "element", END: "end"}
COMPRESSED, SEALED, NO_REPLY_EXPECTED = 1, 2, 8
COMPRESSION_THRESHOLD = 1024
WINDOW = 32
METHOD_FAILED, FETCH_RESULT = 0x80, 0x81
# bluetoothd 5.66 rejects longer writes.
MAXIMUM_WRITE = 510
REPLY_TIMEOUT = 20


def service_uuid(actor):
    return uuid.uuid5(NAMESPACE, f"{actor}.BLEService")


def method_uuid(actor, method):
    return uuid.uuid5(service_uuid(actor), f"{actor}.{method}")


def name(characteristic):
    """The bytes that stand for a characteristic in the header of a sealed message."""
    return characteristic.uuid.to_hex_str("-").lower().encode()


def bumble_uuid(value):
    return UUID(str(value).upper())


@dataclasses.dataclass
class Message:
    kind: int
    session: int
    call: int
    body: bytes = b""
    flags: int = 0


def frames(message, size, seal=None):
    """Splits a message into frames of at most `size` bytes; `seal` encrypts its body."""
    body, flags = message.body, message.flags
    if len(body) > COMPRESSION_THRESHOLD:
        deflate = zlib.compressobj(wbits=-15)
        shorter = deflate.compress(body) + deflate.flush()
        if len(shorter) < len(body):
            body, flags = shorter, flags | COMPRESSED
    head = struct.pack("<BHH", VERSION << 4 | message.kind, message.session, message.call)
    if seal is not None:
        flags |= SEALED
        body = seal(body, head + bytes([flags]))
    start = struct.pack("<BI", flags, len(body))
    content = start + struct.pack("<I", zlib.crc32(head + start + body)) + body
    step = size - 7
    return [head + struct.pack("<H", index) + content[index * step:(index + 1) * step]
            for index in range((len(content) + step - 1) // step)]


class Inbox:
    """Reassembles messages from received frames."""

    def __init__(self):
        self.parts = {}

    def receive(self, frame, open_sealed=None):
        """Returns the message that the frame completes, or `None`."""
        first, session, call, index = struct.unpack_from("<BHHH", frame)
        if first >> 4 != VERSION:
            raise Failure(f"received a frame of version {first >> 4}")
        parts = self.parts.setdefault(frame[:5], {})
        parts[index] = frame[7:]
        if 0 not in parts:
            return None
        flags, length, checksum = struct.unpack_from("<BII", parts[0])
        if sum(map(len, parts.values())) < 9 + length:
            return None
        del self.parts[frame[:5]]
        content = b"".join(parts[each] for each in sorted(parts))
        body = content[9:]
        if zlib.crc32(frame[:5] + content[:5] + body) != checksum:
            raise Failure("received a message with a wrong checksum")
        if flags & SEALED:
            body = open_sealed(body, frame[:5] + bytes([flags]))
        if flags & COMPRESSED:
            body = zlib.decompress(body, wbits=-15)
        return Message(first & 15, session, call, body, flags)


def malformed_frames(how, message, size):
    """Returns the frames of a reply, with the fault that `how` names."""
    good = frames(message, size)
    match how:
        case "twice":
            return good + good
        case "flipped":
            return good[:-1] + [good[-1][:-1] + bytes([good[-1][-1] ^ 4])]
        case "version15":
            return [bytes([0xF0 | each[0] & 15]) + each[1:] for each in good]
        case "backwards":
            return good[::-1]
        case "otherCall":
            return frames(dataclasses.replace(message, call=message.call ^ 0x5555), size) + good
        case "otherSession":
            return frames(dataclasses.replace(message, session=message.session ^ 1), size) + good
        case "long":
            return [good[0][:8] + b"\xff\xff\xff\xff" + good[0][12:]] + good[1:]
        case "silent":
            return []
    raise Failure(f"unknown misbehaviour {how!r}")


class Cipher:
    """The keys of AES-GCM of a central, from its own key and the key of the peripheral."""

    def __init__(self, own, peer):
        publics = own.public_key().public_bytes_raw() + peer
        secret = own.exchange(X25519PublicKey.from_public_bytes(peer))
        self.sealing, self.opening = (
            AESGCM(HKDF(SHA256(), 32, publics, f"Bleu AES-GCM 1 {direction}".encode()).derive(secret))
            for direction in ("central to peripheral", "peripheral to central"))
        self.sent = 0

    def seal(self, body, header):
        counter = struct.pack("<Q", self.sent)
        self.sent += 1
        return counter + self.sealing.encrypt(bytes(4) + counter, body, header)

    def open(self, sealed, header):
        return self.opening.decrypt(bytes(4) + sealed[:8], sealed[8:], header)


def pairing_configuration(passkey, io="DisplayOnly"):
    """Returns a configuration: as a display, this device shows the passkey, and the peer enters it."""
    delegate = Delegate(CAPABILITIES[io])
    delegate.agrees, delegate.passkey = True, passkey
    return PairingConfig(sc=True, mitm=io != "NoInputNoOutput", bonding=True, delegate=delegate,
                         identity_address_type=PairingConfig.AddressType.RANDOM)


class Thrown(Exception):
    """An error thrown by a method of the actor."""

    def __init__(self, name, message, value=None):
        super().__init__(message)
        content = {"type": name, "message": message}
        if value is not None:
            content["value"] = json.dumps(value)
        self.body = json.dumps(content).encode()


class Sensor:
    """The methods of `RoomSensor`. A GATT read can call methods with a trailing underscore."""

    def __init__(self):
        self.offset, self.calls, self.lines = 0.0, 0, []

    def readTemperature_(self):
        self.calls += 1
        return 21.5 + self.offset

    def numberOfCalls_(self):
        return self.calls

    def allLines_(self):
        return self.lines

    def longText_(self):
        self.calls += 1
        return "0123456789" * 300

    def failKnown_(self):
        self.calls += 1
        raise Thrown("SensorError", "SensorError(code: 7)", {"code": 7})

    def calibrate(self, offset):
        self.offset = offset

    def reading(self, unit):
        return {"value": 21.5 + self.offset, "unit": unit}

    def note(self, line):
        self.lines.append(line)

    def echo(self, data):
        return data

    def failUnknown(self, _):
        raise Thrown("OpaqueError", "OpaqueError()")

    async def waitAndEcho(self, _):
        self.calls += 1
        await asyncio.get_running_loop().create_future()

    def count(self, last):
        yield from range(1, last + 1)

    def countAndFail(self, last):
        yield from range(1, last + 1)
        raise Thrown("SensorError", f"SensorError(code: {last})", {"code": last})

    @classmethod
    def methods(cls):
        names = (each for each in vars(cls) if not each.startswith("_"))
        return {each.rstrip("_"): each for each in names if each != "methods"}


class ActorNode:
    """A peripheral that serves a `Sensor`; a subclass adds the controller."""

    def __init__(self, script, controller, sink):
        self.sensor = Sensor()
        self.passkey = script.get("passkey")
        self.connection, self.inbox, self.kept = None, Inbox(), {}
        self.credits, self.how, self.received = {}, None, 0
        # Methods run one at a time; streams run concurrently.
        self.turn, self.running = asyncio.Lock(), {}
        self.advertises = True
        self.changed, self.advertising = asyncio.Condition(), asyncio.Lock()
        self.tasks = set()
        address = hci.Address(script["address"], hci.Address.RANDOM_DEVICE_ADDRESS)
        self.device = Device.from_config_with_hci(
            DeviceConfiguration(name="RoomSensor", address=address, irk=(bytes(address) * 3)[:16],
                                advertising_interval_min=100, advertising_interval_max=100),
            controller, sink)
        self.device.pairing_config_factory = lambda _: pairing_configuration(self.passkey)
        self.device.on("connection", self.connected)
        self.device.gatt_server.max_mtu = 517
        self.characteristics = {each: self.characteristic(each) for each in Sensor.methods()}
        self.device.add_service(Service(bumble_uuid(service_uuid("RoomSensor")),
                                        list(self.characteristics.values())))

    def characteristic(self, method):
        bits, permissions = Characteristic.Properties, att.Attribute.Permissions
        properties = bits.WRITE | bits.WRITE_WITHOUT_RESPONSE | bits.NOTIFY
        allowed = permissions.READABLE | permissions.WRITEABLE
        if self.passkey is not None:
            allowed |= (permissions.READ_REQUIRES_ENCRYPTION | permissions.WRITE_REQUIRES_ENCRYPTION)
        if Sensor.methods()[method].endswith("_"):
            properties |= bits.READ
        return Characteristic(
            bumble_uuid(method_uuid("RoomSensor", method)), properties, allowed,
            att.AttributeValueV2(lambda bearer: self.read(bearer, method),
                                 lambda bearer, value: self.take(bearer, method, value)))

    # The air

    async def update_advertising(self):
        """Starts or stops advertising. Also called after each connection, which ends advertising."""
        async with self.advertising:
            await self.device.stop_advertising()
            if not self.advertises:
                return
            data = bytes(AdvertisingData([
                (AdvertisingData.FLAGS, bytes([0x06])),
                (AdvertisingData.COMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS,
                 bumble_uuid(service_uuid("RoomSensor")).to_bytes())]))
            await self.device.start_advertising(
                advertising_type=AdvertisingType.UNDIRECTED_CONNECTABLE_SCANNABLE,
                own_address_type=hci.OwnAddressType.RANDOM, advertising_data=data)

    def connected(self, connection):
        report_event("connected", peer=connection.peer_address.to_string(False))
        self.connection, self.inbox, self.kept = connection, Inbox(), {}
        connection.on("disconnection", self.disconnected)
        self.spawn(self.update_advertising())

    def disconnected(self, reason):
        report_event("disconnected", reason=int(reason))
        self.connection = None
        self.credits.clear()
        for task in self.running.values():
            task.cancel()
        self.running.clear()

    def link(self):
        if self.connection is None:
            raise Failure("not connected")
        return self.connection

    async def start_node(self):
        await self.device.power_on()
        await self.update_advertising()

    async def end_node(self):
        for task in list(self.tasks):
            task.cancel()
        self.advertises = False
        await self.update_advertising()
        if self.connection is not None:
            await self.do_leave({})
        await self.device.power_off()

    # Calls

    async def read(self, bearer, method):
        """Runs the method for a GATT read. Stores a result that does not fit, and errors, for a later fetch."""
        self.received += 1
        try:
            async with self.turn:
                value = json.dumps(getattr(self.sensor, Sensor.methods()[method])()).encode()
        except Thrown as error:
            self.kept[method] = (FAILURE, error.body)
            raise att.ATT_Error(METHOD_FAILED) from None
        if len(value) <= 512:
            return value
        self.kept[method] = (VALUE, value)
        raise att.ATT_Error(FETCH_RESULT)

    async def take(self, bearer, method, frame):
        message = self.inbox.receive(bytes(frame))
        if message is None:
            return
        key = (message.session, message.call)
        match message.kind:
            case 1:  # CALL
                self.received += 1
                await self.turn.acquire()
                self.running[key] = self.spawn(self.run(bearer, method, message))
            case 2:  # FETCH
                answer = self.kept.pop(method, (REFUSAL, b'"unknownCall"'))
                self.spawn(self.answer(bearer, method, message, *answer))
            case 3:  # CANCEL
                self.credits.pop(key, None)
                if key in self.running:
                    self.running.pop(key).cancel()
            case 4 if key in self.credits:  # CREDIT
                self.credits[key] = struct.unpack("<I", message.body)[0]
                self.spawn(self.notify_waiters())

    async def run(self, bearer, method, message):
        """Runs the method. The caller has acquired `turn`, and this method releases it."""
        try:
            result = getattr(self.sensor, Sensor.methods()[method])(*json.loads(message.body))
            if inspect.iscoroutine(result):
                result = await result
        except Thrown as error:
            return await self.answer(bearer, method, message, FAILURE, error.body)
        finally:
            self.turn.release()
        if inspect.isgenerator(result):
            await self.stream(bearer, method, message, result)
        elif not message.flags & NO_REPLY_EXPECTED:
            kind = NOTHING if result is None else VALUE
            body = b"" if result is None else json.dumps(result).encode()
            await self.answer(bearer, method, message, kind, body)

    async def stream(self, bearer, method, message, elements):
        key = (message.session, message.call)
        self.credits[key] = WINDOW
        await self.answer(bearer, method, message, STREAM, b"")
        end = b""
        try:
            for number, element in enumerate(elements):
                async with self.changed:
                    await self.changed.wait_for(lambda: self.credits.get(key, 0) > number)
                body = struct.pack("<I", number) + json.dumps(element).encode()
                await self.answer(bearer, method, message, ELEMENT, body)
        except Thrown as error:
            end = error.body
        self.credits.pop(key, None)
        await self.answer(bearer, method, message, END, end)
        self.running.pop(key, None)

    async def answer(self, bearer, method, message, kind, body):
        size = min(bearer.att_mtu - 3, 512)
        answer = Message(kind, message.session, message.call, body)
        how, self.how = self.how, None
        for frame in malformed_frames(how, answer, size) if how else frames(answer, size):
            await self.device.gatt_server.notify_subscriber(
                bearer, self.characteristics[method], frame)

    # Waiting

    def spawn(self, work):
        task = asyncio.get_running_loop().create_task(work)
        self.tasks.add(task)
        task.add_done_callback(self.done)
        return task

    def done(self, task):
        self.tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            report_event("failed", error=str(task.exception()))

    async def notify_waiters(self):
        async with self.changed:
            self.changed.notify_all()

    # Commands

    async def perform(self, command):
        handler = getattr(self, "do_" + str(command.get("do")), None)
        if handler is None:
            raise Failure(f"unknown command of an actor: {command.get('do')!r}")
        return await handler(command) or {}

    async def do_misbehave(self, command):
        self.how = command["how"]

    async def do_setAdvertising(self, command):
        self.advertises = bool(command["on"])
        await self.update_advertising()

    async def do_leave(self, _):
        await self.link().disconnect(hci.HCI_REMOTE_USER_TERMINATED_CONNECTION_ERROR)

    async def do_report(self, _):
        return {"isConnected": self.connection is not None, "count": self.received}


class ActorCalls:
    """The commands of a central that calls an actor. The subclass provides `connection` and `peer`."""

    def prepare_calls(self):
        self.actor = None

    async def do_openActor(self, command):
        self.actor = command["type"]
        self.session, self.last_call = random.getrandbits(16), random.getrandbits(16)
        self.inbox, self.answers, self.subscribed, self.cipher = Inbox(), {}, set(), None
        self.has_written = False
        found = await self.do_discover({"service": str(service_uuid(self.actor))})
        if not found["characteristics"]:
            raise Failure(f"actor {self.actor} not found")

    def method(self, command):
        if self.actor is None:
            raise Failure("no actor is open; use openActor first")
        return self.proxy(str(method_uuid(self.actor, command["method"])))

    def received(self, characteristic, frame):
        # bluetoothd 5.66 notifies all centrals: ignore the frames for others.
        if struct.unpack_from("<H", frame, 1)[0] != self.session:
            return
        message = self.inbox.receive(
            bytes(frame), lambda body, header: self.cipher.open(body, header + name(characteristic)))
        if message is not None and message.call in self.answers:
            self.answers[message.call].put_nowait(message)

    async def subscribe_to(self, characteristic):
        if characteristic.handle not in self.subscribed:
            await self.peer.subscribe(
                characteristic, lambda frame: self.received(characteristic, frame))
            self.subscribed.add(characteristic.handle)

    def frames_of(self, characteristic, kind, call, body=b"", flags=0):
        def seal(body, header):
            return self.cipher.seal(body, header + name(characteristic))

        size = min(self.connection.att_mtu - 3, MAXIMUM_WRITE)
        return frames(Message(kind, self.session, call, body, flags), size,
                      seal if self.cipher is not None else None)

    async def send(self, characteristic, kind, call, body=b"", flags=0):
        for frame in self.frames_of(characteristic, kind, call, body, flags):
            await self.peer.write_value(characteristic, frame)
        self.has_written = True

    async def announce(self, characteristic):
        """Writes the credit of an unknown call: a subscription of a central without frames calls the method."""
        if not self.has_written:
            for frame in self.frames_of(characteristic, CREDIT, self.last_call, bytes(4)):
                await self.peer.write_value(characteristic, frame, with_response=True)
            self.has_written = True

    async def start(self, characteristic, kind, body=b"", flags=0):
        """Sends a message; returns its call number and the queue of its replies."""
        self.last_call = self.last_call + 1 & 0xFFFF
        answers = self.answers[self.last_call] = asyncio.Queue()
        await self.send(characteristic, kind, self.last_call, body, flags)
        return self.last_call, answers

    @staticmethod
    async def next(answers):
        return await asyncio.wait_for(answers.get(), REPLY_TIMEOUT)

    @staticmethod
    def reply_of(message, **more):
        return {"kind": NAMES[message.kind], "text": message.body.decode(), **more}

    async def do_readActor(self, command):
        characteristic = self.method(command)
        try:
            return {"kind": "read", "text": (await self.peer.read_value(characteristic)).decode()}
        except att.ATT_Error as error:
            if error.error_code not in (METHOD_FAILED, FETCH_RESULT):
                raise
        await self.subscribe_to(characteristic)
        _, answers = await self.start(characteristic, FETCH)
        return self.reply_of(await self.next(answers))

    async def do_callActor(self, command):
        characteristic = self.method(command)
        await self.subscribe_to(characteristic)
        body = command["arguments"].encode()
        if command.get("oneWay"):
            await self.start(characteristic, CALL, body, NO_REPLY_EXPECTED)
            return None
        _, answers = await self.start(characteristic, CALL, body)
        return self.reply_of(await self.next(answers))

    async def do_streamActor(self, command):
        characteristic = self.method(command)
        await self.announce(characteristic)
        await self.subscribe_to(characteristic)
        call, answers = await self.start(characteristic, CALL, command["arguments"].encode())
        values = []
        while True:
            message = await self.next(answers)
            if message.kind not in (STREAM, ELEMENT):
                return self.reply_of(message, values=values)
            if message.kind == STREAM:
                continue
            number = struct.unpack_from("<I", message.body)[0]
            if number != len(values):
                raise Failure(f"received element {number} after {len(values)} elements")
            values.append(message.body[4:].decode())
            if len(values) == command["count"]:
                await self.send(characteristic, CANCEL, call)
                return {"kind": "element", "values": values}
            if len(values) % (WINDOW // 2) == 0:
                credit = struct.pack("<I", len(values) + WINDOW)
                await self.send(characteristic, CREDIT, call, credit)

    async def do_subscribeActor(self, command):
        characteristic = self.method(command)
        elements = asyncio.Queue()
        await self.peer.subscribe(characteristic, elements.put_nowait)
        values = [bytes(await self.next(elements)).decode() for _ in range(command["count"])]
        await self.peer.unsubscribe(characteristic, elements.put_nowait)
        return {"kind": "element", "values": values}

    async def do_sendNoise(self, command):
        characteristic = self.method(command)
        source = random.Random(command["seed"])
        for _ in range(command["count"]):
            frame = source.randbytes(source.randrange(self.connection.att_mtu - 3))
            await self.peer.write_value(characteristic, frame)

    async def do_breakOff(self, command):
        characteristic = self.method(command)
        self.last_call = self.last_call + 1 & 0xFFFF
        body = random.Random(1).randbytes(5000)
        for frame in frames(Message(CALL, self.session, self.last_call, body), 100)[:20]:
            await self.peer.write_value(characteristic, frame)
        # bluetoothd 5.66 crashes 5 s after the end of a link with an unanswered write.
        await self.do_readActor({"method": "numberOfCalls"})
        await self.do_leave({})

    async def do_setPairing(self, command):
        self.device.pairing_config_factory = lambda _: pairing_configuration(
            command.get("passkey"), command["io"])

    async def do_agree(self, command):
        characteristic = self.method(command)
        await self.subscribe_to(characteristic)
        own = X25519PrivateKey.generate()
        _, answers = await self.start(characteristic, HELLO, own.public_key().public_bytes_raw())
        message = await self.next(answers)
        if message.kind != HELLO_REPLY:
            raise Failure(f"no key agreement: {message.body.decode()}")
        self.cipher = Cipher(own, message.body)

    async def do_prepareCall(self, command):
        self.last_call = self.last_call + 1 & 0xFFFF
        prepared = self.frames_of(self.method(command), CALL, self.last_call,
                                  command["arguments"].encode())
        return {"values": [frame.hex() for frame in prepared]}

    async def do_writeFrames(self, command):
        for frame in command["values"]:
            await self.peer.write_value(self.method(command), bytes.fromhex(frame), with_response=True)

    async def do_numbers(self, _):
        return {"value": struct.pack("<HH", self.session, self.last_call).hex()}

    async def do_imitate(self, command):
        characteristic = self.method(command)
        session, call = struct.unpack("<HH", bytes.fromhex(command["value"]))
        bodies = {CALL: command["arguments"].encode(), FETCH: b"", CANCEL: b"",
                  CREDIT: struct.pack("<I", 0), HELLO: bytes(32)}
        written = [frame for kind, body in bodies.items()
                   for frame in frames(Message(kind, session, call, body), MAXIMUM_WRITE)]
        whole = written[0]
        # A wrong checksum, another version, and an unknown kind.
        written += [whole[:-1] + bytes([whole[-1] ^ 1]), b"\xF1" + whole[1:], b"\x1E" + whole[1:]]
        for frame in written:
            await self.peer.write_value(characteristic, frame, with_response=True)

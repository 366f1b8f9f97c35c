"""Credit-based L2CAP channels of a bumble device, for `bumble_air.py`.

Each channel of a device has a number, from 1 on. Commands:

    listen{psm, mtu, mps, credits, behaviour}  accepts channels; psm 0 picks a free one
    deafen{psm}                                accepts no more
    open{psm, mtu, mps, credits, behaviour}    on the link that there is; answers with its number
    transmit{channel, value | bytes, size}     SDUs of `size` bytes, of a pattern that depends on the
                                               place in the stream; answers when all has been sent
    await{channel, bytes}                      until so many have come, or the channel has ended
    channels                                   what each has got: bytes, SDUs, CRC-32
    close{channel}                             ends it politely
    tear{channel}                              ends it in the middle of an SDU

Behaviours of what is received: `counts`, `echoes` (SDU by SDU), `holds` (no credits beyond the first:
the peer has to wait for ever).
"""

import asyncio
import struct
import zlib

from bumble import l2cap

from bumble_peripheral import Failure, bytes_of, report_event

BEHAVIOURS = ("counts", "echoes", "holds")
OPEN = l2cap.LeCreditBasedChannel.State.CONNECTED


def pattern(first, count):
    """Bytes of the stream that both ends know, from one place on; its period is no power of two."""
    return bytes((place % 251) ^ (place // 251 & 0xFF) for place in range(first, first + count))


class Channel:
    """One channel with what it has got."""

    def __init__(self, channel, number, behaviour):
        self.channel = channel
        self.number = number
        self.echoes = behaviour == "echoes"
        self.bytes = self.sdus = self.sum = self.transmitted = 0
        self.changed = asyncio.Condition()
        self.sending = asyncio.Lock()
        self.tasks = set()
        if behaviour == "holds":
            channel.peer_credits_threshold = -1
        channel.sink = self.received
        channel.on("close", self.closed)

    @property
    def is_open(self):
        return self.channel.state == OPEN

    def received(self, sdu):
        self.bytes += len(sdu)
        self.sdus += 1
        self.sum = zlib.crc32(sdu, self.sum)
        if self.echoes:
            self.begin(self.send(sdu))
        self.begin(self.tell())

    def closed(self):
        report_event("channel closed", channel=self.number)
        self.channel.drained.set()
        self.begin(self.tell())

    async def tell(self):
        async with self.changed:
            self.changed.notify_all()

    def begin(self, work):
        task = asyncio.get_running_loop().create_task(work)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def send(self, sdu):
        # bumble merges writes that wait for credits: send one SDU at a time.
        async with self.sending:
            if not self.is_open:
                raise Failure("the channel has ended")
            self.channel.write(sdu)
            await self.channel.drain()
            self.transmitted += len(sdu)

    async def until(self, count):
        async with self.changed:
            await self.changed.wait_for(lambda: self.bytes >= count or not self.is_open)

    def report(self):
        return {"channel": self.number, "psm": self.channel.psm, "isOpen": self.is_open,
                "bytes": self.bytes, "sdus": self.sdus, "sum": self.sum, "mtu": self.channel.peer_mtu}


class Channels:
    """What a device with a link can do with channels; `device` and `link()` are the other class's."""

    def prepare_channels(self):
        self.channels = []
        self.listeners = {}

    def add_channel(self, channel, behaviour):
        self.channels.append(Channel(channel, len(self.channels) + 1, behaviour))
        report_event("channel", channel=len(self.channels), psm=channel.psm)
        return self.channels[-1]

    def channel(self, command):
        number = command["channel"]
        if not 1 <= number <= len(self.channels):
            raise Failure(f"there is no channel {number}")
        return self.channels[number - 1]

    def specification(self, command):
        behaviour = command.get("behaviour", "counts")
        if behaviour not in BEHAVIOURS:
            raise Failure(f"there is no behaviour {behaviour!r}; there are {', '.join(BEHAVIOURS)}")
        specification = l2cap.LeCreditBasedChannelSpec(
            psm=command.get("psm") or None, mtu=command.get("mtu", 2048),
            mps=command.get("mps", 2048), max_credits=command.get("credits", 256))
        return specification, behaviour

    async def do_listen(self, command):
        specification, behaviour = self.specification(command)
        server = self.device.create_l2cap_server(
            specification, lambda channel: self.add_channel(channel, behaviour))
        self.listeners[server.psm] = server
        return {"psm": server.psm}

    async def do_deafen(self, command):
        server = self.listeners.pop(command["psm"], None)
        if server is None:
            raise Failure(f"nobody listens at {command['psm']}")
        server.close()

    async def do_open(self, command):
        specification, behaviour = self.specification(command)
        opened = await self.link().create_l2cap_channel(specification)
        return self.add_channel(opened, behaviour).report()

    async def do_transmit(self, command):
        channel = self.channel(command)
        if "value" in command:
            return await channel.send(bytes_of(command["value"]))
        size = command.get("size", channel.channel.peer_mtu)
        end = channel.transmitted + command["bytes"]
        while channel.transmitted < end:
            await channel.send(pattern(channel.transmitted, min(size, end - channel.transmitted)))

    async def do_await(self, command):
        channel = self.channel(command)
        await channel.until(command["bytes"])
        return channel.report()

    async def do_channels(self, _):
        return {"channels": [each.report() for each in self.channels]}

    async def do_close(self, command):
        await self.channel(command).channel.disconnect()

    async def do_tear(self, command):
        torn = self.channel(command).channel
        torn.send_pdu(struct.pack("<H", 1000) + bytes(10))
        await torn.disconnect()

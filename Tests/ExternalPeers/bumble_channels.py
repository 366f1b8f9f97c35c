"""Credit-based L2CAP channels of a bumble device, for `bumble_air.py`.

Each channel of a device has a number, starting at 1. Commands:

    listen{psm, mtu, mps, credits, behaviour}  accepts channels; psm 0 selects a free PSM
    deafen{psm}                                stops accepting channels
    open{psm, mtu, mps, credits, behaviour}    opens a channel on the current link; replies with its number
    transmit{channel, value | bytes, size}     sends `value`, or `bytes` bytes of the test pattern in SDUs of
                                               `size` bytes; replies after all data has been sent
    await{channel, bytes}                      waits until `bytes` bytes have arrived or the channel is closed
    channels                                   reports the received data of each channel: bytes, SDUs, CRC-32
    close{channel}                             disconnects the channel
    tear{channel}                              disconnects the channel in the middle of an SDU

A behaviour determines how a channel handles received data: `counts` only counts it; `echoes` sends each SDU
back; `holds` never returns credits after the initial ones, so that the sender blocks.
"""

import asyncio
import struct
import zlib

from bumble import l2cap

from bumble_peripheral import Failure, bytes_of, report_event

BEHAVIOURS = ("counts", "echoes", "holds")
OPEN = l2cap.LeCreditBasedChannel.State.CONNECTED


def pattern(first, count):
    """Returns `count` bytes of the test pattern from offset `first`; its period is not a power of two."""
    return bytes((index % 251) ^ (index // 251 & 0xFF) for index in range(first, first + count))


class Channel:
    """A channel and counters of the data that it received."""

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
            self.spawn(self.send(sdu))
        self.spawn(self.notify_waiters())

    def closed(self):
        report_event("channel closed", channel=self.number)
        self.channel.drained.set()
        self.spawn(self.notify_waiters())

    async def notify_waiters(self):
        async with self.changed:
            self.changed.notify_all()

    def spawn(self, work):
        task = asyncio.get_running_loop().create_task(work)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def send(self, sdu):
        # bumble merges writes that wait for credits, so send one SDU at a time.
        async with self.sending:
            if not self.is_open:
                raise Failure("the channel is closed")
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
    """The channel commands of a device. The subclass provides `device` and `link()`."""

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
            raise Failure(f"unknown channel {number}")
        return self.channels[number - 1]

    def specification(self, command):
        behaviour = command.get("behaviour", "counts")
        if behaviour not in BEHAVIOURS:
            raise Failure(f"unknown behaviour {behaviour!r}; known: {', '.join(BEHAVIOURS)}")
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
            raise Failure(f"no listener on PSM {command['psm']}")
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

#!/usr/bin/env python3
"""A pairing agent without input and output that accepts every request; for the remote side of a pairing.

If one bluetoothd is both sides, it sends the requests for the remote side to the default agent. Prints
"agreeing" when it is the default agent, and runs until it is terminated.
"""

import asyncio

from dbus_fast import BusType, Message, MessageType
from dbus_fast.aio import MessageBus

PATH = "/agreeing"


def answer(message):
    if message.path == PATH and message.interface == "org.bluez.Agent1":
        return Message.new_method_return(message)
    return None


async def call(bus, member, signature, *body):
    reply = await bus.call(Message(
        destination="org.bluez", path="/org/bluez", interface="org.bluez.AgentManager1",
        member=member, signature=signature, body=list(body)))
    if reply.message_type == MessageType.ERROR:
        raise SystemExit(f"{member}: {reply.error_name}")


async def main():
    bus = await MessageBus(bus_type=BusType.SYSTEM).connect()
    bus.add_message_handler(answer)
    await call(bus, "RegisterAgent", "os", PATH, "NoInputNoOutput")
    await call(bus, "RequestDefaultAgent", "o", PATH)
    print("agreeing", flush=True)
    await bus.wait_for_disconnect()


asyncio.run(main())

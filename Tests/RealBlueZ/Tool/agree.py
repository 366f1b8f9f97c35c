#!/usr/bin/env python3
"""The agent of the end that is paired with: it has no keys and no display, and agrees to everything.

A bluetoothd that is both ends asks one agent for the other end, the default one. Says "agreeing" when it
is that, and runs until it is ended.
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

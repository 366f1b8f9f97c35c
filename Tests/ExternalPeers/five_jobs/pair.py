import asyncio
from bleak import BleakClient, BleakScanner
from dbus_fast import BusType
from dbus_fast.aio import MessageBus
from dbus_fast.message import Message
from dbus_fast.service import ServiceInterface, dbus_method


class Agent(ServiceInterface):
    def __init__(self):
        super().__init__("org.bluez.Agent1")

    @dbus_method()
    def RequestPasskey(self, device: "o") -> "u":  # noqa: F821 (D-Bus signatures)
        return int(input("passkey: "))

    @dbus_method()
    def Cancel(self):
        pass


async def main():
    bus = await MessageBus(bus_type=BusType.SYSTEM).connect()
    bus.export("/agent", Agent())
    for member, signature, body in [
        ("RegisterAgent", "os", ["/agent", "KeyboardDisplay"]),
        ("RequestDefaultAgent", "o", ["/agent"]),
    ]:
        await bus.call(Message(
            "org.bluez", "/org/bluez", "org.bluez.AgentManager1", member, signature=signature, body=body))
    lock = await BleakScanner.find_device_by_name("Lock", timeout=60)
    async with BleakClient(lock) as client:
        await client.pair()


asyncio.run(main())

import asyncio
from bleak import BleakClient, BleakScanner
from dbus_fast import BusType
from dbus_fast.aio import MessageBus


async def main():
    sensor = await BleakScanner.find_device_by_name("Sensor", timeout=60)
    async with BleakClient(sensor):
        await asyncio.sleep(1)  # BlueZ reads the level after the services.
        bus = await MessageBus(bus_type=BusType.SYSTEM).connect()
        path = sensor.details["path"]
        device = bus.get_proxy_object("org.bluez", path, await bus.introspect("org.bluez", path))
        print(await device.get_interface("org.bluez.Battery1").get_percentage())


asyncio.run(main())

import asyncio
from bleak import BleakClient, BleakScanner


async def main():
    values = asyncio.Queue()
    sensor = await BleakScanner.find_device_by_name("Sensor", timeout=60)
    async with BleakClient(sensor) as client:
        await client.start_notify("2A37", lambda _, value: values.put_nowait(value))
        for _ in range(10):
            value = await values.get()
            print(value[1] + 256 * value[2] if value[0] & 1 else value[1])


asyncio.run(main())

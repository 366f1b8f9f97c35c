import asyncio
from bleak import BleakClient, BleakScanner


async def main():
    sensor = await BleakScanner.find_device_by_name("Sensor", timeout=60)
    async with BleakClient(sensor) as client:
        await client.write_gatt_char("FFE1", bytes([0x2A]), response=True)


asyncio.run(main())

import asyncio
from bleak import BleakScanner


async def main():
    found = await BleakScanner.discover(5, return_adv=True)
    for device, advertisement in found.values():
        print(device.address, advertisement.rssi, device.name)


asyncio.run(main())

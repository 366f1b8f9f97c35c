"""Performs the rows of C/central.c with bleak.

    bleak_client.py ROW COUNT [SIZE]
"""
import asyncio

from bleak import BleakClient, BleakScanner
from bleak.backends.bluezdbus.manager import get_global_bluez_manager
from bleak.backends.device import BLEDevice

import meter
from meter import latencies, now, row

WITH_RESPONSE = {"write": True, "command": False}


async def client():
    """Returns a client for a device that bluetoothd knows, without a scan."""
    manager = await get_global_bluez_manager()
    properties = manager._properties[meter.DEVICE]["org.bluez.Device1"]
    details = {"path": meter.DEVICE, "props": properties}
    return BleakClient(BLEDevice(meter.ADDRESS, "Bench", details))


async def start_up():
    meter.wait_and_begin()
    started = now()
    await get_global_bluez_manager()
    latencies.append(now() - started)
    meter.finish()


async def scan():
    reports, end = 0, asyncio.Event()

    def on_report(device, advertisement):
        nonlocal reports
        reports += 1
        if device.name == "END":
            end.set()

    await get_global_bluez_manager()
    meter.wait_and_begin()
    async with BleakScanner(on_report):
        await end.wait()
        meter.finish(reports)


async def connect():
    await get_global_bluez_manager()
    meter.wait_and_begin()
    for _ in range(meter.count):
        one = await client()
        started = now()
        await one.connect()
        latencies.append(now() - started)
        await one.disconnect()
    meter.finish()


async def repeat(one):
    value = one.services.get_characteristic(meter.VALUE)
    await one.write_gatt_char(value, meter.payload, response=True)
    meter.wait_and_begin()
    for _ in range(meter.count):
        started = now()
        if row == "read":
            assert len(await one.read_gatt_char(value)) == meter.size
        else:
            await one.write_gatt_char(value, meter.payload, response=WITH_RESPONSE[row])
        latencies.append(now() - started)
    meter.finish()


async def notify(one):
    numbers, end = meter.Numbers(), asyncio.Event()

    def on_notification(_, data):
        if numbers.take(data):
            end.set()

    await one.start_notify(one.services.get_characteristic(meter.NOTIFIER), on_notification)
    control = one.services.get_characteristic(meter.CONTROL)
    meter.wait_and_begin()
    await one.write_gatt_char(control, meter.order, response=True)
    await end.wait()
    meter.finish(lost=numbers.lost)


async def idle(one):
    await one.start_notify(one.services.get_characteristic(meter.NOTIFIER), lambda *_: None)
    meter.wait_and_begin()
    print("idle", flush=True)
    await asyncio.Event().wait()


async def main():
    unconnected = {"startup": start_up, "scan": scan, "connect": connect}
    connected = {"read": repeat, "write": repeat, "command": repeat, "notify": notify,
                 "fdnotify": notify, "idle": idle}
    if row in unconnected:
        await unconnected[row]()
    elif row in connected:
        one = await client()
        await one.connect()
        await connected[row](one)
    else:
        meter.cannot("the row is not implemented for bleak")


asyncio.run(main())

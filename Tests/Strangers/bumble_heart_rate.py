#!/usr/bin/env python3
"""A heart-rate peripheral made of bumble, a Bluetooth host that shares nothing with BlueZ.

Takes the kernel's controller for itself (root only), so bluetoothd must have let go of it: power
the adapter off first, and it leaves the bus. Advertises 180D, sends a heart rate each second, has
a body sensor location (2A38, wrist: 02) and a control point (2A39: takes 01, refuses the rest with
0x80). Prints one JSON object a line for each value sent. Stops after --for seconds or by SIGTERM.

    bumble_heart_rate.py --transport hci-socket:1 --for 30
"""

import argparse
import asyncio
import json
import signal
import struct
import sys
import time

try:
    from bumble.core import AdvertisingData
    from bumble.device import Connection, Device, DeviceConfiguration
    from bumble.hci import Address
    from bumble.profiles.heart_rate_service import HeartRateService
    from bumble.transport import open_transport
except ImportError as error:
    print(f"skipped: bumble is not installed here ({error})", file=sys.stderr)
    sys.exit(77)

started = time.monotonic()


def report(event, **values):
    seconds = round(time.monotonic() - started, 3)
    print(json.dumps({"event": event, "seconds": seconds, **values}), flush=True)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--transport", default="hci-socket:1")
    parser.add_argument("--name", default="Bumble Heart")
    parser.add_argument("--for", dest="seconds", type=float, help="stop after so many seconds")
    parser.add_argument("--drop-after", type=float, metavar="SECONDS",
                        help="end each connection so long after it began")
    return parser.parse_args()


def advertisement(name):
    return bytes(AdvertisingData([
        (AdvertisingData.FLAGS, bytes([0x06])),
        (AdvertisingData.INCOMPLETE_LIST_OF_16_BIT_SERVICE_CLASS_UUIDS, bytes.fromhex("0d18")),
        (AdvertisingData.COMPLETE_LOCAL_NAME, name.encode()),
        (AdvertisingData.APPEARANCE, struct.pack("<H", 0x0340)),
    ]))


def watch(device, drop_after):
    @device.on("connection")
    def connected(connection):
        report("connected", peer=str(connection.peer_address))
        if drop_after is not None:
            loop = asyncio.get_running_loop()
            loop.call_later(drop_after, lambda: loop.create_task(drop(connection)))

        @connection.on("disconnection")
        def disconnected(reason):
            report("disconnected", reason=reason)

    async def drop(connection):
        report("dropping the link")
        await connection.disconnect()


async def send(device, service, stopped):
    beats = 60
    while not stopped.is_set():
        beats = 60 if beats >= 119 else beats + 1
        value = service.HeartRateMeasurement(heart_rate=beats)
        characteristic = service.heart_rate_measurement_characteristic
        # Only peers that subscribed get it; the connections are there to say so in the log.
        peers = [each for each in device.connections.values() if isinstance(each, Connection)]
        if peers:
            report("sent", heartRate=beats, value=bytes(value).hex())
        await device.notify_subscribers(characteristic, value)
        try:
            await asyncio.wait_for(stopped.wait(), 1)
        except asyncio.TimeoutError:
            pass


async def main():
    options = parse_arguments()
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for each in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(each, stopped.set)
    if options.seconds is not None:
        loop.call_later(options.seconds, stopped.set)

    async with await open_transport(options.transport) as transport:
        configuration = DeviceConfiguration(
            name=options.name, address=Address("F0:F1:F2:F3:F4:F5"), advertising_interval_min=100,
            advertising_interval_max=100)
        device = Device.from_config_with_hci(configuration, transport.source, transport.sink)
        service = HeartRateService(
            read_heart_rate_measurement=lambda _: HeartRateService.HeartRateMeasurement(60),
            body_sensor_location=HeartRateService.BodySensorLocation.WRIST,
            reset_energy_expended=lambda _: report("energy reset"))
        device.add_services([service])
        device.advertising_data = advertisement(options.name)
        watch(device, options.drop_after)
        await device.power_on()
        await device.start_advertising(auto_restart=True)
        report("advertising", name=options.name)
        await send(device, service, stopped)
        await device.power_off()
    report("stopped")


if __name__ == "__main__":
    asyncio.run(main())

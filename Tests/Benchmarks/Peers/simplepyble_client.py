"""Performs the rows of C/central.c with simplepyble.

    simplepyble_client.py ROW COUNT [SIZE]
"""
import threading
import time

import simplepyble

import meter
from meter import latencies, now, row


def adapter():
    return simplepyble.Adapter.get_adapters()[0]


def start_up():
    meter.wait_and_begin()
    started = now()
    adapter().get_paired_peripherals()
    latencies.append(now() - started)
    meter.finish()


def scan():
    one, reports, end = adapter(), [0], threading.Event()

    def on_report(peripheral):
        reports[0] += 1
        if peripheral.identifier() == "END":
            end.set()

    one.set_callback_on_scan_found(on_report)
    one.set_callback_on_scan_updated(on_report)
    meter.wait_and_begin()
    one.scan_start()
    end.wait()
    meter.finish(reports[0])


def find_device():
    """Finds the device with a short scan. Without the pauses, the threads of simplepyble deadlock."""
    one = adapter()
    time.sleep(0.3)
    one.scan_start()
    time.sleep(0.5)
    one.scan_stop()
    time.sleep(0.3)
    return next(peripheral for peripheral in one.scan_get_results()
                if peripheral.address().upper() == meter.ADDRESS)


def connect():
    peripheral = find_device()
    meter.wait_and_begin()
    for _ in range(meter.count):
        started = now()
        peripheral.connect()
        latencies.append(now() - started)
        peripheral.disconnect()
    meter.finish()


def connected():
    peripheral = find_device()
    peripheral.connect()
    time.sleep(0.3)
    return peripheral


def repeat():
    peripheral = connected()
    peripheral.write_request(meter.SERVICE, meter.VALUE, meter.payload)
    time.sleep(0.3)
    calls = {"read": lambda: peripheral.read(meter.SERVICE, meter.VALUE),
             "write": lambda: peripheral.write_request(meter.SERVICE, meter.VALUE, meter.payload),
             "command": lambda: peripheral.write_command(meter.SERVICE, meter.VALUE,
                                                         meter.payload)}
    call = calls[row]
    meter.wait_and_begin()
    for _ in range(meter.count):
        started = now()
        call()
        latencies.append(now() - started)
    meter.finish()


def notify():
    peripheral, numbers, end = connected(), meter.Numbers(), threading.Event()

    def on_notification(data):
        if numbers.take(data):
            end.set()

    peripheral.notify(meter.SERVICE, meter.NOTIFIER, on_notification)
    meter.wait_and_begin()
    peripheral.write_request(meter.SERVICE, meter.CONTROL, meter.order)
    end.wait()
    meter.finish(lost=numbers.lost)


def idle():
    peripheral = connected()
    peripheral.notify(meter.SERVICE, meter.NOTIFIER, lambda _: None)
    meter.wait_and_begin()
    print("idle", flush=True)
    threading.Event().wait()


rows = {"startup": start_up, "scan": scan, "connect": connect, "read": repeat, "write": repeat,
        "command": repeat, "notify": notify, "idle": idle}
if row not in rows:
    meter.cannot("the row is not implemented for simplepyble")
rows[row]()

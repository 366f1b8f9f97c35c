#!/usr/bin/env python3
"""Does five everyday jobs with bluejay, with bluetoothctl and with bleak, as Documentation/CommandLineCompared.md shows.

The commands are those of the page: the blocks `sh` for bluejay, the blocks `bluetoothctl`, and the scripts that it
names. Each job must have the right result with each of the three. Call it with the devices of the page:

    bluez-simulator --adapters 1 --device Tests/ExternalPeers/five_jobs/sensor.json --passkey-lock -- \\
        Tests/ExternalPeers/five_jobs.py

    five_jobs.py            run all jobs and check their results
    five_jobs.py --measure  the same three times, then print the shortest times as rows of the page
    five_jobs.py --count    only compare the numbers of commands and characters in the page with its blocks

PROGRAMS is the folder of the built programs, by default .build/debug. Exits with 77 if bluetoothctl or bleak is missing.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

from bluetoothctl_session import Failure, Session, check, hexadecimal

HERE = pathlib.Path(__file__).resolve().parent
PAGE = HERE.parent.parent / "Documentation/CommandLineCompared.md"
PROGRAMS = pathlib.Path(os.environ.get("PROGRAMS", HERE.parent.parent / ".build/debug")).resolve()
SENSOR, LOCK, PASSKEY = "C4:7C:8D:6A:1F:02", "C4:7C:8D:6A:1F:03", "123456"
TOOLS = ["bluejay", "bluetoothctl", "bleak"]
BEATS = list(range(60, 70))


class Job:
    """A section of the page: what a user types for each tool."""

    def __init__(self, title, text):
        self.title = title
        self.bluejay = re.search(r"^```sh\n(.*?)\n```$", text, re.M | re.S)[1].splitlines()
        self.bluetoothctl = re.search(r"^```bluetoothctl\n(.*?)\n```$", text, re.M | re.S)[1].splitlines()
        self.script = HERE / re.search(r"\(\.\./Tests/ExternalPeers/(five_jobs/\w+\.py)\)", text)[1]
        self.bleak = [line for line in self.script.read_text().splitlines() if line.strip()]
        # The answer to the question of `bluejay` and of the script; that to `bluetoothctl` is in its block.
        self.answers = re.findall(r"Answer `(\w+)`", text)

    def typed(self, tool):
        """Returns the typed lines, with the answers to questions."""
        return getattr(self, tool) + ([] if tool == "bluetoothctl" else self.answers)


def jobs():
    sections = re.split(r"^## (\d\. .*)$", PAGE.read_text(), flags=re.M)[1:]
    return [Job(title, text) for title, text in zip(sections[::2], sections[1::2])]


def count_rows(all_jobs):
    """Returns the rows of the page's table: commands, and characters in parentheses."""
    rows = []
    for job in all_jobs:
        cells = []
        for tool in TOOLS:
            typed = job.typed(tool)
            cells.append(f"{len(typed)} ({sum(len(line.strip()) for line in typed)})")
        rows.append(f"| {job.title} | {' | '.join(cells)} |")
    return rows


# MARK: The three tools; each returns its output

def run(command, answers=""):
    ended = subprocess.run(
        command, input=answers, capture_output=True, text=True, timeout=60, env=environment())
    check(ended.returncode == 0, f"{command} ended with {ended.returncode}: {ended.stdout}{ended.stderr}")
    return ended.stdout


def lines(texts):
    return "".join(f"{text}\n" for text in texts)


def environment():
    return {**os.environ, "PATH": f"{PROGRAMS}:{os.environ['PATH']}", "PYTHONDONTWRITEBYTECODE": "1"}


def with_bluejay(job):
    return run(["sh", "-c", "\n".join(job.bluejay)], lines(job.answers))


def with_bleak(job):
    python = os.environ.get("STRANGERS_PYTHON") or sys.executable
    return run([python, str(job.script)], lines(job.answers))


def with_bluetoothctl(job):
    address = next(word for line in job.bluetoothctl for word in line.split() if word.count(":") == 5)
    session = Session(30, agent=None)
    output = []
    try:
        session.expect(r"Agent registered")
        for line in job.bluetoothctl:
            if line == "exit":
                session.quit()
                break
            session.send(line)
            output += follow(session, line, address)
    finally:
        if session.process.poll() is None:
            session.process.kill()
            session.process.wait()
    return "\n".join(output)


def information(session, line):
    """Returns the name, the signal and the battery level; BlueZ reads the level after it resolves the services."""
    for _ in range(50):
        shown = session.local("")
        if "Connected: no" in shown or "Battery Percentage" in shown:
            break
        time.sleep(0.1)
        session.send(line)
    return re.findall(r"(?m)^\s*(?:RSSI|Battery Percentage|Name): .*$", shown)


def follow(session, line, address):
    """Waits for the output that a user waits for after a line, and returns the results in it."""
    if line == "scan on":
        session.expect(rf"Device {address}")
    elif line.startswith("info "):
        return information(session, line)
    elif line.startswith("connect "):
        session.expect(r"Connection successful")
        session.expect(rf"\[CHG\] Device {address} ServicesResolved: yes")
    elif line.startswith("pair "):
        session.expect(r"Enter passkey \(number in 0-999999\):")
    elif line == PASSKEY:
        session.expect(r"Pairing successful")
    elif line.startswith("write "):
        session.expect(r"Attempting to write")
    elif line == "notify on":
        session.expect(r"Notify started")
        values = []
        for _ in BEATS:
            session.expect(r"\[CHG\] Attribute \S+ Value:")
            values.append(str(hexadecimal(session)[1]))
        return values
    elif line == "notify off":
        session.expect(r"Notify stopped")
    elif line.startswith("disconnect"):
        session.expect(r"Successful disconnected|Disconnection successful")
    return []


# MARK: The results

def bluejay(*arguments):
    return run(["bluejay", *arguments])


def prepare(number):
    if number == 4:
        bluejay("write", SENSOR, "FFE1", "00")


def forget():
    """Removes the lock; bluetoothd does so after the link has ended."""
    bluejay("forget", LOCK)
    for _ in range(50):
        shown = subprocess.run(["bluetoothctl", "info", LOCK], capture_output=True, text=True, timeout=60)
        if "not available" in shown.stdout:
            return
        time.sleep(0.2)
    raise Failure(f"the lock is not removed: {shown.stdout}")


def check_result(number, output):
    if number == 1:
        check("Sensor" in output and re.search(r"-55\b", output), f"no sensor with its signal: {output}")
    elif number == 2:
        check(re.search(r"\b80\b", output), f"no battery level of 80: {output}")
    elif number == 3:
        beats = [int(text) for text in re.findall(r"(?m)^(\d+)\b", output)]
        check(beats == BEATS, f"not the ten heart rates: {output}")
    elif number == 4:
        check(bluejay("read", SENSOR, "FFE1").strip() == "2a", "the value was not written")
    else:
        shown = bluejay("info", LOCK)
        forget()
        check(re.search(r"(?m)^paired +yes|bonded", shown), f"the lock is not paired: {shown}")


def perform(all_jobs):
    """Returns the seconds of each job with each tool."""
    seconds = {}
    for number, job in enumerate(all_jobs, start=1):
        for tool in TOOLS:
            prepare(number)
            # bluetoothd keeps the link of the last client, and a forgotten device, for 2 s.
            time.sleep(3)
            start = time.monotonic()
            output = globals()[f"with_{tool}"](job)
            seconds[job.title, tool] = time.monotonic() - start
            check_result(number, output)
            print(f"{job.title}: {tool} took {seconds[job.title, tool]:.1f} s", flush=True)
    return seconds


def main():
    all_jobs = jobs()
    check(len(all_jobs) == 5, f"the page has {len(all_jobs)} jobs")
    missing = [row for row in count_rows(all_jobs) if row not in PAGE.read_text()]
    check(not missing, "the table of the page lacks these rows:\n" + "\n".join(missing))
    if sys.argv[1:] == ["--count"]:
        return
    if shutil.which("bluetoothctl") is None:
        print("skipped: bluetoothctl is not installed", file=sys.stderr)
        sys.exit(77)
    runs = [perform(all_jobs) for _ in range(3 if sys.argv[1:] == ["--measure"] else 1)]
    if len(runs) > 1:
        for job in all_jobs:
            cells = [f"{min(each[job.title, tool] for each in runs):.1f} s" for tool in TOOLS]
            print(f"| {job.title} | {' | '.join(cells)} |")


if __name__ == "__main__":
    try:
        main()
    except (Failure, OSError, subprocess.TimeoutExpired) as error:
        sys.exit(f"five_jobs: {error}")

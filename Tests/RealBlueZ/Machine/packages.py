"""The packages of Debian that the machine is made of: those that apt knows on this computer, and those of another
release, for another version of BlueZ."""

import contextlib
import os
import signal
import subprocess
import sys
from pathlib import Path

BLUEZ = ("bluez", "bluez-test-scripts")
# The emulated controllers, which are the same for each version of BlueZ.
CONTROLLERS = ("bluez-test-tools",)
MIRROR = "http://deb.debian.org/debian"
# The versions of `--bluez`, and the releases of Debian that have them.
RELEASES = {"5.66": "bookworm", "5.82": "trixie", "5.87": "sid"}


def say(words):
    print(f"machine: {words}", file=sys.stderr, flush=True)


def fail(words):
    say(words)
    sys.exit(1)


def call(command, **options):
    """Runs a program in a process group that ends with us, and returns its status."""
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True, **options)
    try:
        return child.wait()
    finally:
        if child.poll() is None:
            os.killpg(child.pid, signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                child.wait(1)
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)
            child.wait()


def output(*command, **options):
    answer = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.DEVNULL, text=True, **options)
    return answer.stdout if answer.returncode == 0 else ""


def packages(options):
    """The packages to unpack: one line each, address, file name, size and sum, as apt prints it.

    Apt takes a second, so the result is cached until its lists change."""
    memory = options.cache / "packages.list"
    lists = Path("/var/lib/apt/lists")
    with contextlib.suppress(OSError):
        if memory.stat().st_mtime > lists.stat().st_mtime:
            return memory.read_text()
    # The kernel of the release, which comes last: those of its updates crash (Documentation/RealBlueZ.md).
    known = output("apt-cache", "show", "linux-image-amd64").splitlines()
    kernels = [line.split()[1] for line in known if line.startswith("Depends: linux-image-")]
    if options.kernel:
        kernels = [f"linux-image-{options.kernel}"]
    others = CONTROLLERS if options.bluez else CONTROLLERS + BLUEZ
    found = output("apt-get", "download", "--print-uris", *kernels[-1:], *others)
    if len(found.splitlines()) == 1 + len(others):
        memory.write_text(found)
    elif memory.exists():
        found = memory.read_text()
    else:
        names = ", ".join((f"linux-image-{options.kernel or 'amd64'}", *others))
        fail(f"apt does not know all of {names}: this is not Debian, or `apt-get update` has to be run first")
    return found


class Release:
    """Another release of Debian, whose packages apt downloads and never installs: it has separate lists."""

    def __init__(self, options):
        self.version, self.name = options.bluez, RELEASES[options.bluez]
        self.folder = options.cache / self.name
        configuration = self.folder / "apt.conf"
        self.environment = os.environ | {"APT_CONFIG": str(configuration)}
        if configuration.exists():
            return
        for name in ("lists/partial", "archives/partial"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        (self.folder / "status").touch()
        (self.folder / "sources.list").write_text(
            f"deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] {MIRROR} {self.name} main\n")
        configuration.write_text("".join(f'{name} "{value}";\n' for name, value in {
            "Dir::State": self.folder, "Dir::State::status": self.folder / "status",
            "Dir::Cache": self.folder, "Dir::Etc::sourcelist": self.folder / "sources.list",
            "Dir::Etc::sourceparts": "-", "Acquire::Languages": "none", "APT::Sandbox::User": "root",
        }.items()))

    def packages(self):
        """The same as the function `packages`, for BlueZ with all libraries; downloads the lists once."""
        memory = self.folder / "packages.list"
        if memory.exists():
            return memory.read_text()
        say(f"downloading the lists of Debian's release {self.name}")
        if call(["apt-get", "-qq", "update"], env=self.environment, stdout=sys.stderr) != 0:
            fail(f"apt cannot download the lists of Debian's release {self.name}: see its messages above")
        needed = output("apt-cache", "depends", "--recurse", "--important", *BLUEZ, env=self.environment)
        libraries = [line for line in needed.splitlines() if line.startswith(("lib", "zlib"))]
        found = output("apt-get", "download", "--print-uris", *BLUEZ, *libraries, env=self.environment)
        if self.version not in versions(found):
            fail(f"Debian's release {self.name} has BlueZ {' '.join(versions(found)) or 'of no version'} now, "
                 f"not {self.version}")
        memory.write_text(found)
        return found


def versions(listed):
    """The versions of BlueZ in a list of packages."""
    files = [line.split()[1] for line in listed.splitlines()]
    return [file.split("_")[1].split("-")[0] for file in files if file.startswith("bluez_")]


def fetch(listed, folder, release=None):
    """Downloads the packages that are not in the folder, and returns their paths."""
    folder.mkdir(exist_ok=True)
    files = [folder / line.split()[1] for line in listed.splitlines()]
    for old in set(folder.iterdir()) - set(files):
        old.unlink()
    # Apt keeps files that exist and are intact.
    names = ["=".join(file.name.split("_")[:2]).replace("%3a", ":") for file in files]
    size = sum(int(line.split()[2]) for line in listed.splitlines()) // 1_000_000
    if not all(file.exists() for file in files):
        say(f"downloading {size} MB of Debian's packages: {'BlueZ' if release else 'kernel and BlueZ'}")
        apt = ["apt-get", "-qq", "-o", "APT::Sandbox::User=root", "download"]
        environment, remedy = None, "apt-get update"
        if release:
            environment, remedy = release.environment, f"rm -r {release.folder}"
        if call([*apt, *names], cwd=folder, env=environment, stdout=sys.stderr) != 0:
            fail(f"apt cannot download {' '.join(names)}: see its messages above; `{remedy}` may help")
    return files

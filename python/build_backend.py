"""Makes a wheel with the module and libbhemu.so: the backend of `pip install .` (PEP 517). It needs Meson, Ninja and a
C compiler, but no package of the Python index."""

import base64
import hashlib
import os
import pathlib
import re
import subprocess
import sysconfig
import tarfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
NAME = "bhemu"


def _version():
    return re.search(r"version: '([^']+)'", (ROOT / "meson.build").read_text(encoding="utf-8"))[1]


def _library():
    """Builds libbhemu.so in $BUILD or in build/, and returns its bytes."""
    build = ROOT / os.environ.get("BUILD", "build")
    if not (build / "build.ninja").exists():
        subprocess.run(["meson", "setup", str(build), str(ROOT)], check=True)
    subprocess.run(["ninja", "-C", str(build), "--quiet", f"libbhemu.so.{_version()}"], check=True)
    return (build / f"libbhemu.so.{_version()}").read_bytes()


def _metadata():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    return (
        f"Metadata-Version: 2.1\nName: {NAME}\nVersion: {_version()}\n"
        "Summary: Emulator of the Tenstorrent Blackhole chip\nLicense: Apache-2.0\nRequires-Python: >=3.11\n"
        f"Description-Content-Type: text/markdown\n\n{text}"
    )


def _tag():
    return f"py3-none-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"


def get_requires_for_build_wheel(config_settings=None):
    return []


def get_requires_for_build_sdist(config_settings=None):
    return []


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    info = f"{NAME}-{_version()}.dist-info"
    files = {f"{NAME}/{path.name}": path.read_bytes() for path in sorted((HERE / NAME).glob("*.py"))}
    files[f"{NAME}/libbhemu.so"] = _library()
    files[f"{info}/METADATA"] = _metadata().encode()
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: {NAME}\nRoot-Is-Purelib: false\nTag: {_tag()}\n".encode()
    files[f"{info}/entry_points.txt"] = f"[pytest11]\n{NAME} = {NAME}.pytest_plugin\n".encode()
    record = ""
    for name, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(data)}\n"
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    wheel = f"{NAME}-{_version()}-{_tag()}.whl"
    with zipfile.ZipFile(pathlib.Path(wheel_directory) / wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return wheel


def build_sdist(sdist_directory, config_settings=None):
    base = f"{NAME}-{_version()}"
    listed = subprocess.run(["git", "-C", str(ROOT), "ls-files", "-z"], check=True, capture_output=True, text=True)
    with tarfile.open(pathlib.Path(sdist_directory) / f"{base}.tar.gz", "w:gz") as archive:
        for name in filter(None, listed.stdout.split("\0")):
            archive.add(ROOT / name, f"{base}/{name}", recursive=False)
    return f"{base}.tar.gz"

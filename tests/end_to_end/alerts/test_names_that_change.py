"""What a name of an alert's address means is asked when it is sent, and every address that it turns out to mean is
looked at: in a network of its own, with a name server that says what it likes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

#: A network, of mounts too, in which nothing of the machine's own is touched.
APART = ["unshare", "--map-root-user", "--net", "--mount"]

ALONE = """
import json, pathlib, socket, struct, subprocess, sys, threading
folder, tests = map(pathlib.Path, sys.argv[1:3])
sys.path.insert(0, str(tests))
from receivers import receiver
from catalog.alerts import address, post

OUTSIDE, INSIDE = "93.184.215.14", "127.0.0.1"
NAMES = {  # what the first, second, ... look-up answers; the last one goes on
    "good.example": [[OUTSIDE]],
    "inside.example": [[INSIDE]],
    "metadata.example": [["169.254.169.254"]],
    "zero.example": [["0.0.0.0"]],
    "changes.example": [[OUTSIDE], [INSIDE]],
    "both.example": [[INSIDE, OUTSIDE]],
}
subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
subprocess.run(["ip", "address", "add", OUTSIDE, "dev", "lo"], check=True)
(folder / "resolv.conf").write_text("nameserver 127.0.0.1")
subprocess.run(["mount", "--bind", str(folder / "resolv.conf"), "/etc/resolv.conf"], check=True)
door = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
door.bind(("127.0.0.1", 53))

def answer():
    while True:
        asked, who = door.recvfrom(4096)
        labels, at = [], 12
        while asked[at]:
            labels.append(asked[at + 1 : at + 1 + asked[at]].decode().lower())
            at += asked[at] + 1
        kind = struct.unpack(">H", asked[at + 1 : at + 3])[0]
        said = NAMES.get(".".join(labels), [[]]) if kind == 1 else [[]]
        found = said.pop(0) if len(said) > 1 else said[0]
        told = asked[:2] + struct.pack(">HHHHH", 0x8180, 1, len(found), 0, 0) + asked[12 : at + 5]
        for one in found:
            told += struct.pack(">HHHIH", 0xC00C, 1, 1, 0, 4) + socket.inet_aton(one)
        door.sendto(told, who)

threading.Thread(target=answer, daemon=True).start()
with receiver(folder / "outside", OUTSIDE) as outside, receiver(folder / "inside", INSIDE) as inside:
    ports = {"outside": outside.place.rpartition(":")[2], "inside": inside.place.rpartition(":")[2]}
    found = {}
    for number, to in enumerate(json.loads(sys.argv[3])):
        to = to.format(**ports, hidden=f"http://inside.example:{ports['inside']}/x".encode().hex())
        told = {"id": number, "address": address.usable(to), "title": "t", "body": "b"}
        found[number] = post.post([told], "")[number]
    got = [[one["path"] for one in where.got()] for where in (outside, inside)]
print(json.dumps({"told": list(found.values()), "outside": got[0], "inside": got[1]}))
"""


def sent(folder: Path, *addresses: str) -> dict[str, Any]:
    """How alerts to these addresses went, in order, and the paths that each receiver got."""
    if subprocess.run([*APART, "ip", "link", "set", "lo", "up"], capture_output=True).returncode:
        pytest.xfail("a network of its own is not allowed here")
    command = [*APART, sys.executable, "-c", ALONE, str(folder), str(Path(__file__).parents[1]), json.dumps(addresses)]
    done = subprocess.run(command, env=os.environ, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)  # type: ignore[no-any-return]


def test_a_name_leads_nowhere_inside(tmp_path: Path) -> None:
    hostile = [
        "http://inside.example:{inside}/x",
        "http://inside.example.:{inside}/x",
        "http://zero.example:{inside}/x",
        "http://metadata.example/latest",
        "mailto://inside.example:{inside}?from=a@b.io&to=c@d.io",
        "http://good.example:{outside}/go/to/{hidden}",
    ]
    found = sent(tmp_path, "http://good.example:{outside}/good", *hostile)
    assert (found["told"][0], found["outside"]) == ("", ["/good", "/go"])
    assert all("service's own network" in error for error in found["told"][1:]), found["told"]
    assert found["inside"] == []


def test_a_name_that_changes_between_two_alerts_is_looked_at_again(tmp_path: Path) -> None:
    found = sent(tmp_path, "http://changes.example:{outside}/a", "http://changes.example:{inside}/b")
    assert found["told"][0] == ""
    assert "127.0.0.1" in found["told"][1]
    assert (found["outside"], found["inside"]) == (["/a"], [])


def test_a_name_of_addresses_inside_and_outside_is_told_at_none(tmp_path: Path) -> None:
    """It was told outside and held for refused, and so told again and again."""
    found = sent(tmp_path, "http://both.example:{outside}/x")
    assert "service's own network" in found["told"][0]
    assert (found["outside"], found["inside"]) == ([], [])

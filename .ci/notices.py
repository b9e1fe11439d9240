"""Prints the license of every crate that the wheel is built of: each text once, with the crates that have it.

usage: notices.py FOLDER    with the workspace
"""

import json
import pathlib
import subprocess
import sys

FOLDER = sys.argv[1]
TARGET = subprocess.run(["rustc", "-vV"], check=True, capture_output=True, text=True).stdout
TARGET = next(line.split()[1] for line in TARGET.splitlines() if line.startswith("host:"))


def metadata() -> dict:
    command = ["cargo", "metadata", "--locked", "--format-version", "1", "--filter-platform", TARGET]
    return json.loads(subprocess.run(command, check=True, capture_output=True, cwd=FOLDER).stdout)


def linked(graph: dict) -> set[str]:
    """The ids of all that is linked into the module: no build scripts' and no tests' dependencies."""
    nodes = {node["id"]: node for node in graph["resolve"]["nodes"]}
    left = [package["id"] for package in graph["packages"] if package["name"] == "starlings-py"]
    seen = set(left)
    while left:
        for dependency in nodes[left.pop()]["deps"]:
            normal = any(kind["kind"] is None for kind in dependency["dep_kinds"])
            if normal and dependency["pkg"] not in seen:
                seen.add(dependency["pkg"])
                left.append(dependency["pkg"])
    return seen


def texts(package: dict) -> list[str]:
    folder = pathlib.Path(package["manifest_path"]).parent
    names = ("license", "licence", "copying", "notice", "unlicense")
    files = sorted(file for file in folder.iterdir() if file.name.lower().startswith(names) and file.is_file())
    # The fonts of the panels have their licenses beside them.
    files += sorted(folder.glob("fonts/*.txt"))
    return [" ".join(file.read_text("utf-8", "replace").split("\r")).strip() for file in files]


def main() -> None:
    graph = metadata()
    wanted = linked(graph)
    packages = [package for package in graph["packages"] if package["id"] in wanted and package["source"]]
    with_text: dict[str, list[str]] = {}
    print("The wheel contains code of these crates.\n")
    for package in sorted(packages, key=lambda package: package["name"]):
        name = f"{package['name']} {package['version']}"
        print(f"  {name:40} {package['license'] or 'see below'}")
        for text in texts(package):
            with_text.setdefault(text, []).append(name)
    for text, names in with_text.items():
        print(f"\n{'=' * 100}\n{', '.join(names)}\n{'-' * 100}\n{text}")


main()

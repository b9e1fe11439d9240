"""Writes gull.glb: a gull of 151 vertices with two joints in each wing, to try `starlings bake` and `--mesh`.

    python3 examples/gull.py gull.glb
    starlings bake gull.glb --clip flap=Fly --clip glide=Soar
    starlings --mesh gull.npz --color natural --backdrop day

It needs numpy. As glTF 2.0 has it, +y is up and the gull looks along +z, so its right is -x; lengths are in meters.
"""

import json
import struct
import sys

import numpy as np

WHITE, GRAY, BLACK, ORANGE = (0.75, 0.75, 0.74), (0.30, 0.33, 0.36), (0.03, 0.03, 0.035), (0.75, 0.35, 0.03)
FLOAT, BYTE, SHORT = 5126, 5121, 5123  # component types of glTF
LOOP = 0.5  # seconds of a wingbeat

places, colors, joints, weights, triangles = [], [], [], [], []


def vertex(place, color, of=(0, 0, 0, 0), share=(1, 0, 0, 0)):
    places.append(place)
    colors.append(color)
    joints.append(of)
    weights.append(share)
    return len(places) - 1


def body(sides=10):
    # Distance forward, radius and color of each ring, from beak to rump.
    rings = [(0.20, 0.004, ORANGE), (0.165, 0.012, ORANGE), (0.15, 0.022, WHITE), (0.115, 0.03, WHITE),
             (0.06, 0.045, WHITE), (0.0, 0.05, WHITE), (-0.08, 0.036, WHITE), (-0.14, 0.02, WHITE)]
    angles = np.linspace(0, 2 * np.pi, sides, endpoint=False)
    rings = [[vertex((r * np.cos(a), 0.9 * r * np.sin(a) + 0.01, z), color) for a in angles] for z, r, color in rings]
    for a, b in zip(rings, rings[1:]):
        for k in range(sides):
            after = (k + 1) % sides
            triangles.extend([[a[k], b[k], b[after]], [a[k], b[after], a[after]]])
    beak = vertex((0, 0.006, 0.215), ORANGE)
    triangles.extend([beak, rings[0][k], rings[0][(k + 1) % sides]] for k in range(sides))
    corners = [(0.02, 0.012, -0.13), (-0.02, 0.012, -0.13), (-0.055, 0.012, -0.20), (0.055, 0.012, -0.20)]
    tail = [vertex(corner, WHITE) for corner in corners]
    triangles.extend([[tail[0], tail[1], tail[2]], [tail[0], tail[2], tail[3]]])


def wing(side, shoulder, wrist, columns=10):
    rows = []
    for t in np.linspace(0, 1, columns + 1):
        front = 0.06 + 0.05 * np.sin(min(t / 0.45, 1) * np.pi / 2) - 0.2 * max(t - 0.45, 0) ** 1.3
        chord = 0.105 * (1 - 0.75 * t**1.5)
        hand, arm = np.clip((t - 0.35) / 0.2, 0, 1), min(t / 0.08, 1)
        skin = ((0, shoulder, wrist, 0), (1 - arm, arm * (1 - hand), arm * hand, 0))
        x, tip = side * (0.04 + 0.4 * t), t >= 0.8
        rows.append([vertex((x, 0.028, front), BLACK if tip else GRAY, *skin),
                     vertex((x, 0.034, front - 0.4 * chord), BLACK if tip else GRAY, *skin),
                     vertex((x, 0.028, front - chord), BLACK if tip else WHITE, *skin)])
    for a, b in zip(rows, rows[1:]):
        for k in range(2):
            for p, q, r in [(a[k], a[k + 1], b[k + 1]), (a[k], b[k + 1], b[k])]:
                triangles.append([p, q, r] if side < 0 else [p, r, q])


def raised(side, angle):
    """The quaternion that raises the wing of a side."""
    return [0, 0, side * np.sin(angle / 2), np.cos(angle / 2)]


data, views, accessors = bytearray(), [], []


def accessor(numbers, component, kind, bounds=False):
    data.extend(bytes(-len(data) % 4))
    views.append({"buffer": 0, "byteOffset": len(data), "byteLength": numbers.nbytes})
    data.extend(numbers.tobytes())
    entry = {"bufferView": len(views) - 1, "componentType": component, "count": len(numbers), "type": kind}
    if bounds:
        entry |= {"min": np.atleast_1d(numbers.min(0)).tolist(), "max": np.atleast_1d(numbers.max(0)).tolist()}
    accessors.append(entry)
    return len(accessors) - 1


def floats(numbers, kind, bounds=False):
    return accessor(np.array(numbers, np.float32), FLOAT, kind, bounds)


def animation(name, times, rotations):
    """An animation of joints by the rotations of each at these times."""
    at = floats(times, "SCALAR", True)
    samplers = [{"input": at, "output": floats(turns, "VEC4")} for turns in rotations.values()]
    channels = [{"sampler": k, "target": {"node": joint, "path": "rotation"}} for k, joint in enumerate(rotations)]
    return {"name": name, "samplers": samplers, "channels": channels}


body()
wing(-1, 1, 2)
wing(1, 3, 4)
# Shoulders, each with a wrist; a skin finds vertices from where joints are at rest.
at_rest = [(0, 0, 0), (-0.04, 0.028, 0.05), (-0.20, 0.028, 0.05), (0.04, 0.028, 0.05), (0.20, 0.028, 0.05)]
to_joint = np.tile(np.eye(4), (5, 1, 1))
to_joint[:, 3, :3] = -np.array(at_rest)
nodes = [{"children": [1, 3]},
         {"translation": at_rest[1], "children": [2]}, {"translation": [-0.16, 0, 0]},
         {"translation": at_rest[3], "children": [4]}, {"translation": [0.16, 0, 0]},
         {"mesh": 0, "skin": 0}]
times = np.linspace(0, LOOP, 13)
beat = 2 * np.pi * times / LOOP
fly, soar = {}, {}
for arm, hand, side in [(1, 2, -1), (3, 4, 1)]:
    fly[arm] = [raised(side, 0.1 + 0.55 * np.sin(b)) for b in beat]
    fly[hand] = [raised(side, -0.15 + 0.45 * np.sin(b - 1)) for b in beat]
    soar[arm], soar[hand] = [raised(side, 0.12)], [raised(side, -0.22)]
attributes = {
    "POSITION": floats(places, "VEC3", True),
    "COLOR_0": floats(colors, "VEC3"),
    "JOINTS_0": accessor(np.array(joints, np.uint8), BYTE, "VEC4"),
    "WEIGHTS_0": floats(weights, "VEC4"),
}
indices = accessor(np.array(triangles, np.uint16).reshape(-1), SHORT, "SCALAR")
document = {
    "asset": {"version": "2.0"},
    "scene": 0,
    "scenes": [{"nodes": [0, 5]}],
    "nodes": nodes,
    "meshes": [{"primitives": [{"attributes": attributes, "indices": indices}]}],
    "skins": [{"joints": [0, 1, 2, 3, 4], "inverseBindMatrices": floats(to_joint.reshape(-1, 16), "MAT4")}],
    "animations": [animation("Fly", times, fly), animation("Soar", [0], soar)],
    "accessors": accessors,
    "bufferViews": views,
}
data.extend(bytes(-len(data) % 4))
document["buffers"] = [{"byteLength": len(data)}]
text = json.dumps(document).encode()
text += b" " * (-len(text) % 4)
with open(sys.argv[1], "wb") as file:
    file.write(struct.pack("<4sII", b"glTF", 2, 28 + len(text) + len(data)))
    file.write(struct.pack("<I4s", len(text), b"JSON") + text)
    file.write(struct.pack("<I4s", len(data), b"BIN\0") + data)

"""What the module promises. Run by `./bootstrap test --wheel` in a fresh environment, on a software driver."""

import ctypes
import doctest
import gc
import hashlib
import json
import mmap
import multiprocessing
import os
import pathlib
import pydoc
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
import starlings as st
import starlings._cuda
import starlings._flock

EXAMPLES = pathlib.Path(__file__).parent.parent / "examples"


@pytest.fixture
def flock():
    return st.Flock("reynolds", boids=500, seed=7)


def command(*words, **more):
    return subprocess.run([sys.executable, "-m", "starlings", *words], capture_output=True, text=True, **more)


def test_arrays_are_by_identity_in_world_units(flock):
    assert flock.positions.shape == flock.velocities.shape == (500, 3)
    assert flock.positions.dtype == flock.velocities.dtype == np.float32
    assert flock.ids.tolist() == list(range(500)) and len(flock) == 500
    before = flock.positions
    flock.step()
    moved = np.linalg.norm(flock.positions - before, axis=1)
    # A boid flies no farther in a step than its largest speed allows, which another boid's place would.
    assert moved.max() <= flock.max_speed * flock.time_step * 1.001
    assert np.allclose(flock.positions - before, flock.velocities * flock.time_step, atol=1e-4)


def test_the_same_bits_as_the_command_line(flock, tmp_path):
    told = command("simulate", "--preset", "reynolds", "--boids", "500", "--seed", "7", "--steps", "20", "--hash",
                   "--every", "20", "--quiet")
    assert told.returncode == 0, told.stderr
    assert flock.step(20).hash() == told.stdout.split()[-1]
    data = flock.positions.tobytes() + flock.velocities.tobytes()
    assert hashlib.sha256(data).hexdigest() == flock.hash()


@pytest.mark.parametrize("preset", sorted(st.presets()))
def test_every_preset_flies_and_is_drawn(preset):
    flock = st.Flock(preset, boids=300).step(3)
    assert flock.preset == preset and np.isfinite(flock.positions).all()
    picture = flock.render(size=(64, 36))
    assert picture.shape == (36, 64, 4) and picture.std() > 0


@pytest.mark.parametrize("name, value, line", [
    ("boids", -5, "boids is '-5'; accepted is a whole number from 1 to 1073741824"),
    ("preset", "boid", "preset is 'boid'; accepted is one of "),
    ("cohesion_weight", float("nan"), "cohesion_weight is NaN; accepted is "),
    ("max_speed", -1, "max_speed is -1; accepted is "),
    ("cohesion_wieght", 1, "there is no setting 'cohesion_wieght'; did you mean 'cohesion_weight'?"),
    ("walls", "soft", "walls is 'soft'; accepted is one of "),
    ("boids", object(), "boids is <object"),
    ("gpu", "no such device", "gpu is 'no such device'; accepted is an index, a name or a UUID of: "),
])
def test_what_is_out_of_range_is_named_with_what_is_accepted(name, value, line):
    with pytest.raises(ValueError) as raised:
        st.Flock(**{name: value})
    assert str(raised.value).startswith(line)
    assert "\n" not in str(raised.value)


def test_what_does_not_fit_is_a_memory_error():
    with pytest.raises(MemoryError, match="the largest count that does is"):
        st.Flock(boids=2**30, search="all-pairs")


def test_settings_are_attributes(flock):
    assert flock.boids == 500 and flock.seed == 7 and flock.plane is False and flock.walls
    flock.cohesion_weight = 2.5
    assert flock.cohesion_weight == 2.5
    flock.world_center = np.array([1, 2, 3])
    assert flock.world_center == [1, 2, 3]
    flock.points = [(0, 1, 0, 5, -2), (1, 1, 1, 4, 3)]
    assert flock.points == "0,1,0,5,-2/1,1,1,4,3"
    flock.nearest, flock.alignment_radius = 7, np.inf
    assert flock.alignment_radius == np.inf
    flock.color = "heading"
    assert flock.color == "heading"
    assert "cohesion_weight" in dir(flock)
    with pytest.raises(ValueError, match="^max_speed is -1; accepted is "):
        flock.max_speed = -1
    with pytest.raises(ValueError, match="^seed is 8; accepted is nothing in a running flock"):
        flock.seed = 8
    for name in ("max_sped", "_private"):
        with pytest.raises(AttributeError):
            setattr(flock, name, 1)
        with pytest.raises(AttributeError):
            getattr(flock, name)
    flock.step(2)
    assert np.isfinite(flock.positions).all()


def test_a_setting_acts_on_the_steps_after_it(flock):
    other = st.Flock("reynolds", boids=500, seed=7, separation_weight=0.5)
    flock.separation_weight = 0.5
    assert flock.step(10).hash() == other.step(10).hash()
    # Another search takes other kernels: the flock goes on all the same.
    flock.search = "rows-9"
    assert flock.count == 10 and flock.step().count == 11


def test_state_is_set_from_arrays(flock):
    positions, velocities = flock.positions[::-1].copy(), -flock.velocities
    flock.set_state(positions, velocities)
    assert (flock.positions == positions).all() and (flock.velocities == velocities).all()
    flock.positions = positions.astype(float).tolist()
    assert (flock.positions == positions).all() and (flock.velocities == velocities).all()
    flock.step(2)
    with pytest.raises(ValueError, match=r"positions has the shape \(500, 2\); accepted is \(500, 3\)"):
        flock.positions = positions[:, :2]
    positions[3, 1] = np.nan
    with pytest.raises(ValueError, match="positions is .* for boid 3; accepted is three finite numbers"):
        flock.positions = positions
    heading = st.Flock("counting-sort", boids=10)
    with pytest.raises(ValueError, match="velocities is zero for boid 0; accepted is a direction"):
        heading.velocities = np.zeros((10, 3))
    heading.velocities = [[0, 0, 5]] * 10
    assert np.allclose(heading.velocities, [[0, 0, heading.move_speed]] * 10)


def test_order_parameters_of_a_known_flock_change_nothing():
    flock = st.Flock("reynolds", boids=4, world_size=100)
    places = np.array([[1, 0, 0], [0, 0, 1], [-1, 0, 0], [0, 0, -1]])
    flock.set_state(places, np.cross(places, [0, 1, 0]))
    before = flock.hash()
    order = flock.order()
    assert abs(order.milling - 1) < 1e-5 and order.polarization < 1e-5 and abs(order.speed - 1) < 1e-5
    assert flock.hash() == before and flock.count == 0
    flock.velocities = [[0, 0, 1]] * 4
    assert abs(flock.order().polarization - 1) < 1e-5
    assert abs(st.Flock("reynolds", boids=300, engine="cpu").order().polarization) < 0.3


def test_a_checkpoint_goes_on_with_the_same_bits(flock, tmp_path):
    path = tmp_path / "flock.npz"
    flock.step(5).save(path)
    assert st.load(path).step(7).hash() == flock.step(7).hash()
    with pytest.raises(OSError, match="it is already there; force replaces it"):
        flock.save(path)
    flock.save(path, force=True)
    assert st.load(path).count == 12
    with pytest.raises(OSError, match="there is no folder"):
        flock.save(tmp_path / "none" / "flock.npz")
    told = command("simulate", "--resume", str(path), "--steps", "0", "--hash", "--quiet")
    assert told.stdout.split()[-1] == flock.hash()


def test_a_picture_is_an_array_and_a_png(flock, tmp_path):
    picture = flock.step(5).render(size=(160, 90), look="fish", backdrop="paper")
    assert picture.dtype == np.uint8 and (picture[..., 3] == 255).all()
    picture.save(tmp_path / "a.png")
    assert (tmp_path / "a.png").read_bytes() == picture._repr_png_() and picture.png().startswith(b"\x89PNG")
    assert (flock.render(size=(160, 90)) != picture).any()
    assert (flock.render(size=(160, 90), look="fish", backdrop="paper") == picture).all()
    # A part of a picture is an array.
    assert picture[0]._repr_png_() is None
    for wrong in [(0, 5), (5,), "5x5", (-1, 4)]:
        with pytest.raises(ValueError, match="size is|size is"):
            flock.render(size=wrong)
    with pytest.raises(ValueError, match="samples is 5; accepted is 4 times a square"):
        flock.render(size=(8, 8), samples=5)


def test_the_command_and_the_module_draw_the_same_picture(flock, tmp_path):
    path = tmp_path / "a.png"
    told = command("render", "--preset", "reynolds", "--boids", "500", "--seed", "7", "--frames", "6", "--size", "96x54",
                   "--out", str(path), "--quiet")
    assert told.returncode == 0, told.stderr
    assert st.load(path).count == 6
    assert st.load(path).hash() == flock.step(6).hash()


def test_a_film_has_its_frames(flock, tmp_path):
    film = flock.film(tmp_path / "a.y4m", frames=3, every=2, size=(32, 18))
    data = pathlib.Path(film.path).read_bytes()
    assert data.count(b"FRAME\n") == 3 and data.startswith(b"YUV4MPEG2 W32 H18 F30:1")
    assert flock.count == 6
    # The flock has flown as it flies without being filmed.
    assert flock.hash() == st.Flock("reynolds", boids=500, seed=7).step(6).hash()
    with pytest.raises(ValueError, match="path is '.*; accepted is a file ending in .mp4"):
        flock.film(tmp_path / "a.xyz", frames=1)
    cpu = st.Flock("reynolds", boids=100, engine="cpu")
    cpu.film(tmp_path / "b.y4m", frames=2, every=2, size=(32, 18))
    assert cpu.count == 4
    assert cpu.hash() == st.Flock("reynolds", boids=100, engine="cpu").step(4).hash()


def test_state_that_is_shared_is_that_of_the_flock():
    flock = st.Flock("reynolds", boids=1000, seed=3, shared=True).step(5)
    if "llvmpipe" not in flock.device:
        pytest.skip("only Mesa's software driver shares memory as a file that can be read here")
    uuid, parts = flock._core.shared()
    assert len(uuid) == 32
    arrays = []
    for (fd, size), width, kind in zip(parts, (4, 2, 1), (np.float32, np.float32, np.int32)):
        assert size >= 1000 * 4 * width
        file = mmap.mmap(fd, os.fstat(fd).st_size)
        os.close(fd)
        # Its own page comes first.
        arrays.append(np.frombuffer(file, kind, 1000 * width, 4096).reshape(1000, width))
    position_vx, velocity_yz, ids = arrays[0], arrays[1], arrays[2].ravel()
    for _ in range(2):
        assert sorted(ids) == list(range(1000))
        assert (position_vx[:, :3] == flock.positions[ids]).all()
        assert (np.column_stack([position_vx[:, 3], velocity_yz]) == flock.velocities[ids]).all()
        flock.step(3)
    # What is written is where the next step begins.
    position_vx[:, :3] += 1
    assert (position_vx[:, :3] == flock.positions[ids]).all()
    plain, other = (st.Flock("reynolds", boids=1000, seed=3, shared=shared).step(11) for shared in (False, True))
    assert plain.hash() == other.hash()


def test_a_flock_that_is_not_shared_says_so(flock):
    with pytest.raises(ValueError, match="^shared is false; accepted is true, when the flock is made"):
        flock.on_cuda()
    with pytest.raises(ValueError, match="^shared is 'true'; accepted is nothing: engine cpu uses no device"):
        st.Flock("reynolds", boids=10, engine="cpu", shared=True)


def test_arrays_are_handed_out_by_dlpack_and_given_back(monkeypatch):
    # As arrays of the processor, which numpy can take.
    monkeypatch.setattr(starlings._cuda, "_DL_CUDA", 1)
    data = np.arange(20, dtype=np.float32)

    class Memory:
        address = ctypes.c_uint64(data.ctypes.data)

    array = starlings._cuda.CudaArray(Memory(), 0, (5, 4), "float32")
    taken = np.from_dlpack(array)
    data[7] = 70
    assert (taken == data.reshape(5, 4)).all() and taken[1, 3] == 70
    capsule = array.__dlpack__()
    assert len(starlings._cuda._handed_out) == 2
    del taken, capsule
    gc.collect()
    assert not starlings._cuda._handed_out


def test_other_threads_run_while_a_flock_works():
    flock = st.Flock("reynolds", boids=20_000)
    ticks, done = 0, threading.Event()

    def work():
        flock.step(30)
        done.set()

    worker = threading.Thread(target=work)
    worker.start()
    while not done.is_set():
        ticks += 1
        time.sleep(0.001)
    worker.join()
    assert ticks > 20


def test_flocks_in_threads_are_those_of_one_thread():
    hashes = {}

    def work(seed):
        hashes[seed] = st.Flock("reynolds", boids=400, seed=seed).step(15).hash()

    workers = [threading.Thread(target=work, args=(seed,)) for seed in range(6)]
    [worker.start() for worker in workers]
    [worker.join() for worker in workers]
    for seed, found in hashes.items():
        assert st.Flock("reynolds", boids=400, seed=seed).step(15).hash() == found


def test_ctrl_c_ends_a_long_flight(flock):
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        flock.step(10_000_000)
    assert time.monotonic() - began < 10
    assert flock.step().positions.shape == (500, 3)


def _in_child(queue):
    try:
        st.Flock("reynolds", boids=10)
        queue.put("made")
    except st.DeviceError as error:
        queue.put(str(error))


def test_a_forked_process_is_refused_and_a_spawned_one_is_not(flock):
    for method, said in [("fork", "this process was forked after starlings was used"), ("spawn", "made")]:
        context = multiprocessing.get_context(method)
        queue = context.Queue()
        child = context.Process(target=_in_child, args=(queue,))
        child.start()
        assert queue.get(timeout=60).startswith(said)
        child.join(timeout=30)
        assert child.exitcode == 0
    flock.step()


def test_flocks_that_are_dropped_leave_nothing():
    def resident():
        gc.collect()
        return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    count = int(os.environ.get("STARLINGS_FLOCKS", "100"))
    for _ in range(count):
        st.Flock("reynolds", boids=200).step()
    before = resident()
    for _ in range(count):
        st.Flock("reynolds", boids=200).step()
    assert resident() - before < 8 << 20


def test_representations(flock):
    assert repr(flock.step(3)).startswith("<Flock reynolds: 500 boids after 3 steps on ")
    assert "<table>" in flock._repr_html_() and "500" in flock._repr_html_()
    page = pydoc.plain(pydoc.render_doc(st.Flock))
    for word in ("positions", "float32 (N, 3)", "world units per second", "ValueError", "MemoryError", "DeviceError"):
        assert word in page
    assert {"cohesion_weight", "backdrop", "eye"} <= set(st.settings())


def test_the_examples_of_the_docstrings():
    failures, tests = doctest.testmod(starlings._flock)
    assert tests >= 2 and failures == 0


def test_the_command_ends_with_its_own_status():
    assert command("--version").stdout.startswith("starlings ")
    refused = command("render", "--boids", "-1")
    assert refused.returncode == 2 and refused.stderr.startswith("starlings: --boids is '-1'; accepted is")
    assert any(device["lacks"] == [] for device in st.devices())


def test_the_packaged_driver_is_taken_where_there_is_none():
    driver = pathlib.Path(st.__file__).parent / "_driver" / "libvk_swiftshader.so"
    if not driver.exists():
        pytest.skip("this wheel has no driver")
    nowhere = {"VK_DRIVER_FILES": "/nowhere.json", "VK_ICD_FILENAMES": "/nowhere.json"}
    told = command("devices", env={**os.environ, **nowhere})
    assert told.returncode == 0, told.stderr
    assert "SwiftShader" in told.stdout and "the driver of this package, because: no Vulkan" in told.stdout


TWO_DEVICES = """
import threading
import starlings as st
names = [device["name"] for device in st.devices()]
flocks = [st.Flock("reynolds", boids=300, gpu=name) for name in names]
workers = [threading.Thread(target=flock.step, args=(20,)) for flock in flocks]
[worker.start() for worker in workers]
[worker.join() for worker in workers]
for name, flock in zip(names, flocks):
    alone = st.Flock("reynolds", boids=300, gpu=name).step(20)
    assert flock.device == name and flock.count == 20 and alone.hash() == flock.hash()
print(len(names))
"""


def test_two_devices_step_two_flocks_at_once(tmp_path):
    driver = pathlib.Path(st.__file__).parent / "_driver" / "libvk_swiftshader.so"
    usual = os.environ.get("VK_DRIVER_FILES")
    if not (driver.exists() and usual):
        pytest.skip("there are no two drivers")
    icd = {"library_path": str(driver), "api_version": "1.3.0"}
    (tmp_path / "icd.json").write_text(json.dumps({"file_format_version": "1.0.0", "ICD": icd}))
    both = f"{usual}:{tmp_path / 'icd.json'}"
    run = subprocess.run([sys.executable, "-c", TWO_DEVICES], capture_output=True, text=True,
                         env={**os.environ, "VK_DRIVER_FILES": both, "VK_ICD_FILENAMES": both})
    assert run.returncode == 0 and int(run.stdout) == 2, run.stderr


@pytest.mark.parametrize("words", [
    ("order_parameter.py", "--boids", "300", "--seconds", "1"),
    ("numpy_rule.py", "--boids", "500", "--steps", "12"),
    ("learn_to_lead.py", "--boids", "200", "--rounds", "2", "--moves", "3"),
])
def test_the_examples_run(words, tmp_path):
    if words[0] == "order_parameter.py":
        pytest.importorskip("matplotlib")
    example = [sys.executable, str(EXAMPLES / words[0]), *words[1:]]
    run = subprocess.run(example, cwd=tmp_path, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    print(run.stdout)


def test_the_notebook_shows_its_flock(tmp_path):
    client, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    notebook = nbformat.read(EXAMPLES / "flock.ipynb", as_version=4)
    resources = {"metadata": {"path": str(tmp_path)}}
    client.NotebookClient(notebook, timeout=300, kernel_name="python3", resources=resources).execute()
    if kept := os.environ.get("STARLINGS_NOTEBOOK"):
        nbformat.write(notebook, kept)
    shown = {}
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            shown.setdefault(cell["id"], {}).update(output.get("data", {}))
    assert "<td>5,000</td>" in shown["make"]["text/html"]
    assert shown["look"]["image/png"] and shown["order"]["image/png"]
    # Played in place where a program ffmpeg has made it.
    assert "<video" in shown["film"]["text/html"] or "flock.y4m" in shown["film"]["text/html"]

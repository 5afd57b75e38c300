"""A pytest plugin for the tests of tt-llk: a sample of the variants of each file, chosen by name, and a shorter time
limit (LLK_TIMEOUT seconds; default 60) for kernels that never end. With LLK_SESSIONS and the recorder as library, each
test has a log of its own in that folder; LLK_SESSIONS/names says which."""

import collections
import hashlib
import os


def pytest_addoption(parser):
    parser.addoption("--sample", type=int, default=0, help="at most so many variants of each file; 0 is all")


def pytest_collection_modifyitems(config, items):
    """The pass that compiles chooses; those that run take what it chose."""
    path = os.environ["LLK_CHOSEN"]
    if config.getoption("--compile-producer"):
        chosen = _sample(items, config.getoption("--sample") or len(items))
        with open(path, "w") as file:
            file.write("".join(item.nodeid + "\n" for item in chosen))
    else:
        with open(path) as file:
            names = set(file.read().split("\n"))
        chosen = {item for item in items if item.nodeid in names}
    config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
    items[:] = [item for item in items if item in chosen]


def _sample(items, count):
    """From each file, the first variant of every test before the second of any."""
    seen = collections.Counter()
    files = collections.defaultdict(list)
    for item in sorted(items, key=_hash):
        test = item.nodeid.split("[")[0]
        files[test.split("::")[0]].append((seen[test], item))
        seen[test] += 1
    return {item for ranked in files.values() for _, item in sorted(ranked, key=lambda r: (r[0], _hash(r[1])))[:count]}


def _hash(item):
    return hashlib.md5((os.environ.get("LLK_SEED", "") + item.nodeid).encode()).digest()


def pytest_runtest_setup(item):
    folder = os.environ.get("LLK_SESSIONS")
    if folder:
        name = item.nodeid.split("::")[0].replace("/", "-").removesuffix(".py") + "." + _hash(item).hex()[:8]
        os.environ["BHEMU_RECORD"] = os.path.join(folder, name)
        with open(os.path.join(folder, "names"), "a") as names:
            names.write(f"{name}\t{item.nodeid}\n")


def pytest_sessionstart(session):
    from helpers.test_config import TestConfig

    TestConfig.SIMULATOR_TIMEOUT = int(os.environ.get("LLK_TIMEOUT", "60"))

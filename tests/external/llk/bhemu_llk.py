"""A pytest plugin for the tests of tt-llk: a sample of the variants of each test, chosen by name, and a shorter time
limit (LLK_TIMEOUT seconds; default 60) for kernels that never end."""

import hashlib
import os


def pytest_addoption(parser):
    parser.addoption("--sample", type=int, default=0, help="at most so many variants of each test; 0 is all")


def pytest_collection_modifyitems(config, items):
    count = config.getoption("--sample")
    if count:
        chosen = _sample(items, count)
        config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
        items[:] = [item for item in items if item in chosen]


def _sample(items, count):
    groups = {}
    for item in items:
        groups.setdefault(item.nodeid.split("[")[0], []).append(item)
    return {
        item
        for group in groups.values()
        for item in sorted(group, key=lambda item: hashlib.md5(item.nodeid.encode()).digest())[:count]
    }


def pytest_sessionstart(session):
    from helpers.test_config import TestConfig

    TestConfig.SIMULATOR_TIMEOUT = int(os.environ.get("LLK_TIMEOUT", "60"))

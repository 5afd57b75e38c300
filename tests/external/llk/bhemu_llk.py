"""A pytest plugin for the tests of tt-llk (see run).

The first pass chooses: of each test function, --sample variants by their names and LLK_SEED, none of which is in one of
the files LLK_DONE. Variants with the same kernels share them. At most LLK_COMPILE (default 2) variants of each function
have kernels compiled; those that would need more are left out. With LLK_CHOSEN, a file of results, the variants that ran
there run instead. LLK_RESULTS gets a line for each variant; variants that have one are not run again. After LLK_SECONDS no
further test begins. LLK_TIMEOUT is a time limit in seconds (default 60) for kernels that never end. With LLK_SESSIONS and
the recorder as library, each test has a log of its own in that folder; LLK_SESSIONS/names says which."""

import hashlib
import os
import re
import time

import pytest

LEFT_OUT = "needs one more kernel"


def pytest_addoption(parser):
    parser.addoption("--sample", type=int, default=0, help="at most so many variants of each test function; 0 is all")


def results(path):
    """The outcome of each variant, and why it failed."""
    if not os.path.exists(path):
        return {}
    with open(path) as file:
        return {line[0]: line[1:] for line in (text.rstrip("\n").split("\t") for text in file)}


def pytest_configure(config):
    chosen = os.environ.get("LLK_CHOSEN")
    config.chosen = chosen and {name for name, (outcome, _) in results(chosen).items() if outcome != "left out"}
    config.done = set()
    for path in [os.environ["LLK_RESULTS"], *os.environ.get("LLK_DONE", "").split()]:
        config.done.update(results(path))
    config.end = time.time() + float(os.environ.get("LLK_SECONDS", "inf"))


def _hash(name):
    return hashlib.md5((os.environ.get("LLK_SEED", "") + name).encode()).digest()


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_generate_tests(metafunc):
    """Leaves variants out before pytest makes items of them: there are hundreds of thousands."""
    yield
    test, config = metafunc.definition.nodeid, metafunc.config
    name = lambda call: f"{test}[{call.id}]"  # noqa: E731
    left = [call for call in metafunc._calls if name(call) not in config.done]
    if config.chosen:
        left = [call for call in left if name(call) in config.chosen]
    elif config.getoption("--sample"):
        left = sorted(left, key=lambda call: _hash(name(call)))[: config.getoption("--sample")]
    metafunc._calls[:] = left or metafunc._calls[:1]


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    def wanted(item):
        return item.nodeid not in config.done and (not config.chosen or item.nodeid in config.chosen)

    config.hook.pytest_deselected(items=[item for item in items if not wanted(item)])
    items[:] = sorted(filter(wanted, items), key=lambda item: _hash(item.nodeid))


def pytest_sessionstart(session):
    from helpers.test_config import TestConfig
    from helpers.tile_shape import TileShape

    TestConfig.SIMULATOR_TIMEOUT = int(os.environ.get("LLK_TIMEOUT", "60"))
    TileShape.__hash__ = object.__hash__  # the fuser needs this from Python 3.11 on
    build = TestConfig.build_elfs
    TestConfig.build_elfs = lambda test: _build(TestConfig, test, build)


def _build(config, test, build):
    """Compiles, if the function may still do so. A variant may compile more than one program."""
    if not (config.ARTEFACTS_DIR / test.test_name / test.variant_id / ".build_complete").exists():
        variant = os.environ["PYTEST_CURRENT_TEST"].rsplit(" ", 1)[0]
        function = variant.split("[")[0]
        path = config.ARTEFACTS_DIR / (function.replace("/", "-") + ".compiled")
        compiled = set(path.read_text().splitlines()) if path.exists() else set()
        if variant not in compiled and len(compiled) >= int(os.environ.get("LLK_COMPILE", "2")):
            pytest.skip(LEFT_OUT)
        path.write_text("".join(name + "\n" for name in sorted(compiled | {variant})))
    build(test)


def pytest_runtest_setup(item):
    folder = os.environ.get("LLK_SESSIONS")
    if folder:
        name = item.nodeid.split("::")[0].replace("/", "-").removesuffix(".py") + "." + _hash(item.nodeid).hex()[:8]
        os.environ["BHEMU_RECORD"] = os.path.join(folder, name)
        with open(os.path.join(folder, "names"), "a") as names:
            names.write(f"{name}\t{item.nodeid}\n")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item):
    if time.time() > item.config.end:
        item.session.shouldstop = "no time left"


@pytest.hookimpl(trylast=True)
def pytest_runtest_logreport(report):
    if report.when == "call" or report.outcome != "passed":
        with open(os.environ["LLK_RESULTS"], "a") as file:
            outcome = "left out" if LEFT_OUT in str(report.longrepr) else report.outcome
            file.write("\t".join([report.nodeid, outcome, _reason(report)]) + "\n")


def _reason(report):
    if report.outcome != "failed":
        return ""
    text = f"{report.longrepr}\n{report.capstdout}"
    match = re.search(r"ERROR: (.*)", text)
    lines = [line for line in text.splitlines() if line.strip()]
    return (match.group(1) if match else lines[0] if lines else "?").replace("\t", " ")[:300]

#!/usr/bin/env python3
"""The whole stack on one machine: template.yaml as it is, deployed with `sam` to an emulator of AWS, with the real
binaries of the functions.

`.ci/run` starts it with the Python of the virtual environment that has the emulator. It says what works, not how
fast, and not that the permissions suffice: the emulator does not enforce them, tests/tests/suite/functions does. What
the parts said while it ran is kept below target/stack.
"""

import argparse
import sys
import time
from pathlib import Path

import deployment
import emulator
import guide
import journey
import second_engine


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sam", type=Path, required=True, help="the SAM CLI")
    parser.add_argument("--binaries", type=Path, help="directory of built binaries; without it they are built")
    arguments = parser.parse_args()
    work = deployment.REPOSITORY / "target" / "stack"
    work.mkdir(parents=True, exist_ok=True)
    try:
        check(arguments.sam, arguments.binaries or deployment.binaries(), work)
    except emulator.Failed as failed:
        sys.exit(f"FAILED {failed}")


def check(sam, binaries, work):
    told("the commands of the operating guide", guide.check)
    told("binaries without symbols", lambda: deployment.strip(binaries, work / "binaries"))
    told("sam build", lambda: deployment.build(sam, work))
    with emulator.running(work) as running:
        outputs = told("sam deploy", lambda: deployment.deploy(sam, work, running))
        stack = journey.Journey(running, outputs, binaries / "boxoffice")
        told("the second engine", lambda: second_engine.check(running))
        for step in journey.CHECKS:
            told(step.__name__.replace("_", " "), lambda: step(stack))


def told(name, work):
    """Does a piece of work and tells how long it took."""
    print(f"{name} ... ", end="", flush=True)
    started = time.monotonic()
    answer = work()
    print(f"ok, {time.monotonic() - started:.1f} s", flush=True)
    return answer


if __name__ == "__main__":
    main()

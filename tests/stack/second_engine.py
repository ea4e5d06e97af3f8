"""The checks of correctness and of the ledger, which `cargo test` asks of the embedded engine, asked of the emulator."""

import json
import re
import subprocess

from deployment import REPOSITORY
from emulator import Failed

# Test binaries by crate and target, with the modules whose tests ask a fresh database.
ASKED = {
    ("engine", "suite"): ["correctness::", "limits::", "transactions::"],
    ("store", "store"): ["ledger::tests::"],
}

# What the emulator does otherwise than AWS, by test. Each of these has to fail there: as soon as one does not,
# it no longer belongs here.
DEVIATIONS = {
    "correctness::a_batch_of_more_than_sixteen_megabytes_names_the_keys_it_left_out": "answers with all keys at once",
    "correctness::a_sum_keeps_thirty_eight_digits": "calculates with fewer digits",
    "limits::a_filter_and_an_update_are_held_to_the_same_number": "does not count the operators of an expression",
    "limits::an_expression_may_have_three_hundred_operators_and_no_more": "does not count them",
    "limits::the_operators_of_a_transactions_writes_are_counted_one_by_one": "does not count them",
}


def executables():
    """The test binaries of `ASKED`, brought up to date, which after a test run is nothing to do."""
    command = ["cargo", "test", "--locked", "--workspace", "--no-run", "--quiet", "--message-format=json"]
    output = subprocess.run(command, cwd=REPOSITORY, check=True, stdout=subprocess.PIPE, text=True).stdout
    found = {}
    for message in map(json.loads, output.splitlines()):
        if message["reason"] == "compiler-artifact" and message["profile"]["test"] and message["executable"]:
            crate = re.split(r"[/#@]", message["package_id"].rsplit("/", 1)[1])[0]
            found[crate, message["target"]["name"]] = message["executable"]
    return {key: found[key] for key in ASKED}


def check(emulator):
    """Every test passes on the emulator, except for the known deviations, which fail."""
    outcomes = {}
    environment = emulator.environment() | {"BOXOFFICE_TEST_DYNAMODB": emulator.url, "RUST_BACKTRACE": "0"}
    for key, executable in executables().items():
        command = [executable, *ASKED[key], "--test-threads", "4"]
        ran = subprocess.run(command, cwd=REPOSITORY, env=environment, capture_output=True, text=True)
        lines = re.findall(r"^test (\S+) .*?(ok|FAILED)$", ran.stdout, re.MULTILINE)
        if not lines:
            raise Failed(f"{key} ran no test:\n{ran.stdout}{ran.stderr}")
        outcomes |= dict(lines)
        unexpected = [name for name, outcome in lines if outcome == "FAILED" and name not in DEVIATIONS]
        if unexpected:
            raise Failed(f"{', '.join(unexpected)}:\n{ran.stdout}")
    rotten = [name for name in DEVIATIONS if outcomes.get(name) != "FAILED"]
    if rotten:
        raise Failed(f"these are deviations of the emulator no longer: {', '.join(rotten)}")
    print(f"{len(outcomes)} tests, {len(DEVIATIONS)} known deviations ... ", end="")

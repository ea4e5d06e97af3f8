"""Deploys template.yaml as it is to the emulator: with `sam build` and `sam deploy`, as to AWS."""

import json
import os
import platform
import shutil
import subprocess
import tomllib
from pathlib import Path

from emulator import Failed

REPOSITORY = Path(__file__).resolve().parents[2]
STAGE = "dev"
# Of what a command said before it failed.
LAST_LINES = 10
ARCHITECTURES = {"x86_64": "x86_64", "aarch64": "arm64", "arm64": "arm64"}
TARGETS = {"x86_64": "x86_64-unknown-linux-gnu", "arm64": "aarch64-unknown-linux-gnu"}


def architecture():
    """That of this machine, on which the functions will run, as the template names it."""
    return ARCHITECTURES[platform.machine()]


def run(command, environment, log):
    """Runs a command that must succeed; what it says goes to a file, and its reasons to the terminal if it fails."""
    with log.open("w") as out:
        code = subprocess.run(
            command, cwd=REPOSITORY, env=environment, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT
        ).returncode
    if code != 0:
        lines = log.read_text().splitlines()
        reasons = [line for line in lines if "FAILED" in line or line.startswith(" " * 60)]
        raise Failed("\n".join([f"{command[0]} ended with {code}, see {log}", *reasons, *lines[-LAST_LINES:]]))


def binaries():
    """The directory of the binaries of the test run, brought up to date, which after a test run is nothing to do."""
    build = ["cargo", "build", "--locked", "--workspace", "--bins", "--tests", "--quiet"]
    subprocess.run(build, cwd=REPOSITORY, check=True)
    asked = ["cargo", "metadata", "--locked", "--no-deps", "--format-version", "1"]
    metadata = json.loads(subprocess.run(asked, cwd=REPOSITORY, check=True, stdout=subprocess.PIPE).stdout)
    return Path(metadata["target_directory"]) / "debug"


def strip(source: Path, directory: Path):
    """Copies the functions' binaries without their symbols to where the Makefile looks for what Cargo built.

    The debug profile saves a release build of every function; without symbols a package is a few megabytes."""
    there = directory / TARGETS[architecture()] / "debug"
    shutil.rmtree(directory, ignore_errors=True)
    there.mkdir(parents=True)
    for function in sorted(path.name for path in (REPOSITORY / "functions").iterdir()):
        subprocess.run(["strip", "-o", there / function, source / function], check=True)


def build(sam: Path, work: Path):
    """`sam build`: the template and the Makefile as they are, with a `cargo rustc` that has been done."""
    variables = {
        "CARGO_RUSTC": "true",
        "CARGO_PROFILE": "dev",
        "CARGO_TARGET_DIR": str(work / "binaries"),
        "ARCHITECTURE": architecture(),
        "SAM_CLI_TELEMETRY": "0",
    }
    command = [sam, "build", "--config-env", STAGE, "--build-dir", work / "build"]
    run(command, os.environ | variables, work / "sam-build.log")


def settings():
    """What samconfig.toml says about deploying the stage."""
    with (REPOSITORY / "samconfig.toml").open("rb") as file:
        return tomllib.load(file)[STAGE]["deploy"]["parameters"]


def parameters():
    """The template's parameters in samconfig.toml."""
    return dict(pair.split("=", 1) for pair in settings()["parameter_overrides"].split())


def deploy(sam: Path, work: Path, emulator):
    """`sam deploy` with the settings of samconfig.toml, for this machine's architecture. Answers with the stack's
    outputs."""
    overrides = f"{settings()['parameter_overrides']} Architecture={architecture()}"
    command = [sam, "deploy", "--config-file", REPOSITORY / "samconfig.toml", "--config-env", STAGE]
    command += ["--template-file", work / "build" / "template.yaml", "--parameter-overrides", overrides]
    run([*command, "--no-progressbar"], emulator.environment(), work / "sam-deploy.log")
    stack = emulator.client("cloudformation").describe_stacks(StackName=settings()["stack_name"])["Stacks"][0]
    if stack["StackStatus"] != "CREATE_COMPLETE":
        raise Failed(f"the stack is {stack['StackStatus']}: {stack.get('StackStatusReason')}")
    return {output["OutputKey"]: output["OutputValue"] for output in stack["Outputs"]}

"""The AWS emulator as a process of its own, and what the checks ask of it."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import boto3

REGION = "us-east-1"

# Keys that open nothing. The emulator takes an access key of twelve digits for the number of an account, and
# shows each account its own resources only.
ACCOUNT = "000000000000"

START_SECS = 30
POLL_SECS = 0.25


class Failed(Exception):
    """A check found something to be otherwise than it must be."""


def wait_for(what, found, limit_secs):
    """Asks again and again until `found` answers with something, which is returned."""
    end = time.monotonic() + limit_secs
    while time.monotonic() < end:
        answer = found()
        if answer:
            return answer
        time.sleep(POLL_SECS)
    raise Failed(f"{what}: not within {limit_secs} s")


class Emulator:
    """A running emulator."""

    def __init__(self, port, log):
        self.port, self.log = port, log
        self.url = f"http://127.0.0.1:{port}"

    def environment(self, account=ACCOUNT):
        """The environment in which any AWS client talks to this emulator and to nobody else."""
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
        return inherited | {
            "AWS_ENDPOINT_URL": self.url,
            "AWS_ACCESS_KEY_ID": account,
            "AWS_SECRET_ACCESS_KEY": "none",
            "AWS_REGION": REGION,
            "AWS_DEFAULT_REGION": REGION,
            "AWS_EC2_METADATA_DISABLED": "true",
            "AWS_CONFIG_FILE": os.devnull,
            "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
            "SAM_CLI_TELEMETRY": "0",
        }

    def client(self, service):
        """A client of one service."""
        return boto3.client(
            service, endpoint_url=self.url, region_name=REGION, aws_access_key_id=ACCOUNT, aws_secret_access_key="none"
        )

    def mails(self):
        """The mails that SES was asked to send."""
        with urllib.request.urlopen(f"{self.url}/_ministack/ses/messages?account={ACCOUNT}") as answer:
            return json.load(answer)["messages"].get(ACCOUNT, [])

    def is_ready(self):
        """Whether it answers."""
        with contextlib.suppress(OSError):
            with urllib.request.urlopen(f"{self.url}/_localstack/health") as answer:
                return answer.status == 200
        return False


def free_port():
    """A port on which nobody listens."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


@contextlib.contextmanager
def running(directory: Path):
    """Starts an emulator that keeps everything below `directory`, and ends it with all the functions it started."""
    port = free_port()
    scratch = directory / "scratch"
    scratch.mkdir(parents=True, exist_ok=True)
    log = directory / "emulator.log"
    emulator = Emulator(port, log)
    settings = {
        "BIND_HOST": "127.0.0.1",
        "GATEWAY_PORT": str(port),
        "MINISTACK_HOST": "localhost",
        "IOT_MTLS_PORT": "0",
        "LAMBDA_EXECUTOR": "local",
        "LOG_LEVEL": "INFO",
        "STATE_DIR": str(scratch),
        "S3_DATA_DIR": str(scratch / "s3"),
        "TMPDIR": str(scratch),
    }
    with log.open("w") as out:
        # A group of its own, so that ending it ends the functions too.
        process = subprocess.Popen(
            [Path(sys.executable).with_name("ministack")],
            env=emulator.environment() | settings,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        wait_for("the emulator answers", lambda: process.poll() is not None or emulator.is_ready(), START_SECS)
        if process.poll() is not None:
            raise Failed(f"the emulator ended at once:\n{log.read_text()}")
        yield emulator
    finally:
        end(process)


def end(process):
    """Ends a process and everything in its group."""
    for how in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, how)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(5)

"""The `aws` commands of the operating guide, held against the descriptions of the services' operations."""

import re
import shlex

import botocore.session
from botocore import xform_name

from deployment import REPOSITORY
from emulator import Failed

# Options of the command line itself.
OWN_OPTIONS = {"query", "output"}

# What the command line makes of several operations, which no description names.
OF_SEVERAL_OPERATIONS = {"s3"}

# Options that the command line names otherwise than the service does.
RENAMED = {("sns", "subscribe", "notification-endpoint"): "endpoint"}


def commands():
    """Every `aws` command in the guide's examples, as a list of words."""
    guide = (REPOSITORY / "docs" / "OPERATIONS.md").read_text()
    for block in re.findall(r"^ *```sh\n(.*?)^ *```$", guide, re.MULTILINE | re.DOTALL):
        for line in block.replace("\\\n", " ").splitlines():
            found = re.search(r"(?:^ *|\$\()(aws .*?)\)?$", line)
            if found:
                yield shlex.split(found[1])


def check():
    """Every command names an operation, parameters that it has, and all that it must be given."""
    session = botocore.session.get_session()
    count = 0
    for _, service, operation, *words in commands():
        count += 1
        if service in OF_SEVERAL_OPERATIONS:
            continue
        told = f"aws {service} {operation}"
        model = session.get_service_model(service)
        operations = {xform_name(name, "-"): name for name in model.operation_names}
        if operation not in operations:
            raise Failed(f"{told}: there is no such operation")
        shape = model.operation_model(operations[operation]).input_shape
        members = {xform_name(name, "-"): name for name in shape.members}
        given = {word[2:] for word in words if word.startswith("--")} - OWN_OPTIONS
        given = {RENAMED.get((service, operation, option), option) for option in given}
        given = {option.removeprefix("no-") if option not in members else option for option in given}
        unknown = given - members.keys()
        missing = set(shape.required_members) - {members[option] for option in given - unknown}
        if unknown or missing:
            raise Failed(f"{told}: unknown {sorted(unknown)}, missing {sorted(missing)}")
    if count < 20:
        raise Failed(f"only {count} commands were found in the guide")

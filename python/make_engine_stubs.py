"""Writes asterism/engines.pyi from what the module says of itself, so that an editor has its signatures and docstrings.

    make_engine_stubs.py FOLDER_OF_THE_PACKAGE
"""
import inspect
import pathlib
import re
import sys

# The type of the argument `keys`, or `traffic`, of these.
KEYS = {"Dram": "DramKeys", "Fabric": "FabricKeys", "Ftl": "FtlKeys", "Matt": "MattKeys",
        "Fabric.run": "TrafficKeys", "Fabric.saturation": "TrafficKeys", "mpp_checkpoint": "MppKeys"}


def annotation(text):
    text = re.sub(r"numpy\.ndarray\[numpy\.(\w+)\]", r"npt.NDArray[np.\1]", text)
    text = text.replace("numpy.ndarray[bool]", "npt.NDArray[np.bool_]").replace("asterism.engines.", "")
    text = re.sub(r"List\[List\[float\[\d+\]\]\]", "Sequence[Sequence[float]]", text)
    for old in ("List", "Tuple", "Dict"):
        text = re.sub(rf"\b{old}\[", f"{old.lower()}[", text)
    return text


def argument(text, keys):
    """An argument of a signature of pybind11. Arrays of other types than bytes are made of what is given."""
    name, _, rest = text.partition(": ")
    if name in ("self", "arg0"):
        return "self"
    kind, _, default = rest.partition(" = ")
    kind = annotation(kind)
    if "NDArray" in kind and "uint8" not in kind:
        kind = "Optional[npt.ArrayLike]" if kind.startswith("Optional") else "npt.ArrayLike"
    if kind == "dict":
        kind = f"{keys} | dict[str, Any]"
    return f"{name}: {kind}{' = ...' if default else ''}"


def split(arguments):
    """At the commas that are in no bracket."""
    parts, depth, start = [], 0, 0
    for at, letter in enumerate(arguments):
        depth += letter in "([{"
        depth -= letter in ")]}"
        if letter == "," and depth == 0:
            parts.append(arguments[start:at].strip())
            start = at + 1
    return parts + ([arguments[start:].strip()] if arguments[start:].strip() else [])


def function(name, doc, indent, keys, decorator=""):
    signature, _, text = doc.partition("\n")
    arguments, result = re.fullmatch(r"\w*\((.*)\) -> (.*)", signature).groups()
    result = "Any" if result == "object" else annotation(result)
    given = ", ".join(argument(each, keys) for each in split(arguments))
    if decorator:
        yield f"{indent}@{decorator}"
    yield f"{indent}def {name}({given}) -> {result}:"
    if text.strip():
        yield f"{indent}    {docstring(text, indent + '    ')}"
    yield f"{indent}    ..."


def docstring(text, indent):
    return '"""' + text.strip().replace("\n", "\n" + indent) + '"""'


def class_stub(name, of):
    yield f"class {name}:"
    if of.__doc__:
        yield f"    {docstring(of.__doc__, '    ')}"
    for member, value in vars(of).items():
        where = f"{name}.{member}"
        if isinstance(value, property):
            text = (value.__doc__ or "").strip()
            yield from function(member, f"{value.fget.__doc__.splitlines()[0]}\n{text}", "    ", "", "property")
        elif member == "__init__":
            yield from function(member, value.__doc__, "    ", KEYS.get(name, ""))
        elif not member.startswith("__") and hasattr(value, "__doc__") and value.__doc__:
            is_static = isinstance(inspect.getattr_static(of, member), staticmethod)
            yield from function(member, getattr(of, member).__doc__, "    ", KEYS.get(where, ""),
                                "staticmethod" if is_static else "")


def main():
    package = pathlib.Path(sys.argv[1])
    sys.path.insert(0, str(package))
    from asterism import engines
    lines = [docstring(engines.__doc__, ""), "from typing import Any, Optional, Sequence", "", "import numpy as np",
             "import numpy.typing as npt", "",
             f"from asterism.keys import {', '.join(sorted(set(KEYS.values())))}"]
    for name, member in vars(engines).items():
        if name.startswith("__"):
            continue
        lines.append("")
        lines += class_stub(name, member) if isinstance(member, type) else function(
            name, member.__doc__, "", KEYS.get(name, ""))
    (package / "asterism" / "engines.pyi").write_text("\n".join([*lines, ""]))


if __name__ == "__main__":
    main()

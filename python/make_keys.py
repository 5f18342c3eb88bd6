"""Writes asterism/keys.pyi: the keys of a scenario with their types, from the schema of the program, so that an editor
completes them and knows their values.

    make_keys.py PROGRAM keys.pyi
"""
import json
import pathlib
import subprocess
import sys


def type_of(schema):
    """The type of a value, as Python writes it."""
    if "enum" in schema:
        return f"Literal[{', '.join(repr(each) for each in schema['enum'])}]"
    for union in ("anyOf", "oneOf"):
        if union in schema:
            return " | ".join(dict.fromkeys(type_of(each) for each in schema[union]))
    kinds = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None",
             "array": "Sequence[Any]", "object": "Mapping[str, Any]"}
    given = schema.get("type", [])
    return " | ".join(kinds[each] for each in ([given] if isinstance(given, str) else given)) or "Any"


def keys_in(schema, path):
    """(key, type, description) of a schema and of what is in it."""
    for part in (schema, *schema.get("allOf", []), *(schema[each] for each in ("then", "else") if each in schema)):
        for name, value in part.get("properties", {}).items():
            if not isinstance(value, dict) or not ("type" in value or "enum" in value or "anyOf" in value):
                continue
            key = f"{path}{name}"
            yield key, type_of(value), value.get("description", "")
            yield from keys_in(value, key + ".")
        if part is not schema:
            yield from keys_in({key: value for key, value in part.items() if key != "properties"}, path)


def main():
    schema = json.loads(subprocess.run([sys.argv[1], "schema", "scenario"], check=True, capture_output=True,
                                       text=True).stdout)
    keys = {}
    for key, kind, description in keys_in(schema, ""):
        keys.setdefault(key, (kind, description))
    lines = ["from typing import Any, Literal, Mapping, Sequence, TypedDict", "", "ScenarioKeys = TypedDict(",
             '    "ScenarioKeys", {']
    for key, (kind, description) in keys.items():
        lines += [f"        # {description}", f"        {key!r}: {kind},"]
    pathlib.Path(sys.argv[2]).write_text("\n".join([*lines, "    }, total=False)", ""]))


if __name__ == "__main__":
    main()

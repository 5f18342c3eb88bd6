"""Writes asterism/keys.pyi: the keys of scenarios with those of the devices of all nodes, of studies and of the engines,
with their types, from the schemas of the program and of the module asterism.engines, so that an editor completes them
and knows their values.

    make_keys.py PROGRAM keys.pyi [FOLDER_OF_THE_PACKAGE]
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
    for part in (schema, *schema.get("allOf", []), *schema.get("anyOf", []),
                 *(schema[each] for each in ("then", "else") if each in schema)):
        for name, value in part.get("properties", {}).items():
            if name.startswith("$") or not isinstance(value, dict) or not ("type" in value or "enum" in value or "anyOf" in value):
                continue
            key = f"{path}{name}"
            yield key, type_of(value), value.get("description", "")
            yield from keys_in(value, key + ".")
        if part is not schema:
            yield from keys_in({key: value for key, value in part.items() if key != "properties"}, path)


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True, stdin=subprocess.DEVNULL).stdout


def keys_of_devices(program, scenario):
    """Those of the devices that the nodes in configs/ have: node.uart0.input."""
    devices = scenario["properties"]["node"]["properties"]["devices"]["additionalProperties"]["anyOf"][0]["anyOf"]
    of_types = {each["title"]: each for each in devices}
    named = {}
    for node in output(program, "list", "nodes").split():
        for name, device in json.loads(output(program, "check", node)).get("devices", {}).items():
            named.setdefault((name, device["type"]))
    for name, type_name in sorted(named):
        yield from keys_in(of_types[type_name], f"node.{name}.")


def typed_dictionary(name, keys):
    known = {}
    for key, kind, description in keys:
        known.setdefault(key, (kind, description))
    yield f"{name} = TypedDict("
    yield f'    "{name}", {{'
    for key, (kind, description) in known.items():
        yield f"        # {description}"
        yield f"        {key!r}: {kind},"
    yield "    }, total=False)"


def main():
    program, into, *package = sys.argv[1:]
    scenario = json.loads(output(program, "schema", "scenario"))
    studies = json.loads(output(program, "schema", "study"))["oneOf"]
    lines = ["from typing import Any, Literal, Mapping, Sequence, TypedDict", ""]
    lines += typed_dictionary("ScenarioKeys", [*keys_in(scenario, ""), *keys_of_devices(program, scenario)])
    names = []
    for study in studies:
        names.append("".join(map(str.capitalize, study["properties"]["kind"]["const"].split("_"))) + "Study")
        lines += typed_dictionary(names[-1], keys_in(study, ""))
    lines.append(f"StudyKeys = {' | '.join(names)}")
    if package:
        sys.path.insert(0, package[0])
        from asterism import engines
        for name, schema in (("Dram", engines.Dram.schema), ("Fabric", engines.Fabric.schema),
                             ("Ftl", engines.Ftl.schema), ("Matt", engines.Matt.schema),
                             ("Mpp", engines.mpp_schema), ("Traffic", engines.Fabric.traffic_schema)):
            lines += typed_dictionary(f"{name}Keys", keys_in(schema(), ""))
    pathlib.Path(into).write_text("\n".join([*lines, ""]))


if __name__ == "__main__":
    main()

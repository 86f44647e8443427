"""Runs the cases of one SDK and prints one JSON line for each."""

import json
import os
import traceback

BASE_URL = os.environ["GATEWAY_URL"]
KEY = os.environ["GATEWAY_KEY"]
# May use every supplier, for what only some of them have.
OPEN_KEY = os.environ["GATEWAY_OPEN_KEY"]
MODEL = os.environ["GATEWAY_MODEL"]

# A red square of 1 x 1 pixel.
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mP4z8AAAAMBAQD3A0FDAAAAAElFTkSuQmCC"

WEATHER_SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
    "additionalProperties": False,
}


def expect(condition, what):
    if not condition:
        raise AssertionError(what)


def run(cases):
    for case in cases:
        name = case.__name__.replace("_", " ")
        try:
            case()
            line = {"case": name, "problem": None}
        except Exception as error:
            last = traceback.extract_tb(error.__traceback__)[-1]
            line = {"case": name, "problem": f"{type(error).__name__}: {error} ({last.name}:{last.lineno})"}
        print(json.dumps(line), flush=True)

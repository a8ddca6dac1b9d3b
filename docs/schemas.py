"""Write the JSON Schemas of the protocol and the configuration into `schema/`: `python docs/schemas.py`."""

import json
from pathlib import Path

import config_schemas

from hookline.core import envelope

FOLDER = Path(__file__).parent.parent / "schema"


def texts() -> dict[Path, str]:
    """Return the content of each schema file."""
    return {
        FOLDER / f"{name}.json": json.dumps(schema, indent=2) + "\n"
        for name, schema in {**envelope.build_schemas(), **config_schemas.build_schemas()}.items()
    }


if __name__ == "__main__":
    for path, text in texts().items():
        path.write_text(text, encoding="utf-8")

"""What can be declared: one entry a kind. Documentation, methods, YAML and pages are made from this list."""

from __future__ import annotations

from catalog.declared.kinds.counted import COUNTED
from catalog.declared.kinds.further import FURTHER
from catalog.declared.kinds.kind import Kind

CHECK_KINDS: dict[str, Kind] = {kind.name: kind for kind in (*COUNTED, *FURTHER)}

#!/usr/bin/env python3
"""`helm template` without helm: uses Helm's engine, from `pip install helm-python-sdk`.

    HELM=tests/deploy/helm.py cargo test -p tests --test deploy

Accepts only the arguments that the test passes: template NAME CHART [--values FILE].
"""

import sys

from helm_python import Chart, HelmError, values_from_yaml

command, name, chart, *rest = sys.argv[1:]
if command != "template" or (rest and rest[0] != "--values") or len(rest) > 2:
    sys.exit("usage: helm.py template NAME CHART [--values FILE]")
try:
    values = {}
    if rest:
        with open(rest[1], encoding="utf-8") as file:
            values = values_from_yaml(file.read())
    chart = Chart.load(chart)
    chart.validate_schema(values)
    rendered = chart.render(values, name=name)
except HelmError as error:
    sys.exit(f"Error: {error}")
for path, text in sorted(rendered.items()):
    if path.endswith(".yaml") and text.strip():
        print(f"---\n# Source: {path}\n{text.strip().removeprefix('---').strip()}")

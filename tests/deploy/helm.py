#!/usr/bin/env python3
"""`helm template` without helm: uses Helm's engine, from `pip install helm-python-sdk`.

    HELM=tests/deploy/helm.py cargo test -p tests --test published deploy

Accepts only the arguments that the tests pass:
template NAME CHART --namespace NAMESPACE [--values FILE]... Later files win, as with helm.
"""

import argparse
import sys

from helm_python import Chart, HelmError, values_from_yaml


def merged(values, others):
    """Merges maps as Helm merges values files: a null removes a value."""
    for key, value in others.items():
        if isinstance(value, dict) and isinstance(values.get(key), dict):
            merged(values[key], value)
        else:
            values[key] = value
    return values


parser = argparse.ArgumentParser()
parser.add_argument("command", choices=["template"])
parser.add_argument("name")
parser.add_argument("chart")
parser.add_argument("--namespace", required=True)
parser.add_argument("--values", action="append", default=[])
arguments = parser.parse_args()
try:
    values = {}
    for path in arguments.values:
        with open(path, encoding="utf-8") as file:
            merged(values, values_from_yaml(file.read()))
    chart = Chart.load(arguments.chart)
    chart.validate_schema(values)
    rendered = chart.render(values, name=arguments.name, namespace=arguments.namespace)
except HelmError as error:
    sys.exit(f"Error: {error}")
for path, text in sorted(rendered.items()):
    if path.endswith(".yaml") and text.strip():
        print(f"---\n# Source: {path}\n{text.strip().removeprefix('---').strip()}")

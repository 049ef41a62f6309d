"""The files that deploy a fleet, without an engine and without a cluster: what they name exists, and they agree."""

from __future__ import annotations

import re
from collections.abc import Iterator
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Any, cast

import pytest
import typer.main
import yaml
from typer.core import TyperGroup

from studio.cli.app import app
from studio.runs.supervisor import GRACE_S as WORKER_GRACE_S
from studio.settings import Settings
from studio.web.listening import GRACE_S as WEB_GRACE_S
from tests.packaging.conftest import ROOT
from tests.packaging.dockerfile import of, stages

DEPLOY = ROOT / "scripts/deploy"
HOW_TO = (ROOT / "docs/how-to/run-a-fleet.md").read_text()
Node = dict[str, Any]


def documents(file: Path) -> list[Node]:
    return [document for document in yaml.safe_load_all(file.read_text()) if document]


COMPOSE: Node = documents(DEPLOY / "compose.yaml")[0]
SERVICES: Node = COMPOSE["services"]
MANIFESTS = documents(DEPLOY / "kubernetes/studio.yaml") + documents(DEPLOY / "kubernetes/database.yaml")
WORKLOADS = {
    each["metadata"]["name"]: each for each in MANIFESTS if each["kind"] in ("Job", "Deployment", "StatefulSet")
}


def pod(name: str) -> Node:
    return WORKLOADS[name]["spec"]["template"]["spec"]


def main(name: str) -> Node:
    """The container that a workload is for."""
    [container] = pod(name)["containers"]
    return container


def containers() -> Iterator[Node]:
    for name in WORKLOADS:
        yield from pod(name)["containers"]
        yield from pod(name).get("initContainers", [])


def test_the_same_commands_run_in_both_and_the_studio_has_them():
    commands = {name: service["command"] for name, service in SERVICES.items() if "command" in service}
    assert {"migrate", "web", "worker"} == commands.keys()
    assert {name: main(name)["command"] for name in commands} == commands
    there = cast("TyperGroup", typer.main.get_command(app)).commands
    for program, name, *options in commands.values():
        assert program == "studio"
        there[name].make_context(name, options)  # raises where there is no such option


def test_the_same_processes_and_images_are_in_both():
    for name in ("web", "worker"):
        assert WORKLOADS[name]["spec"]["replicas"] == SERVICES[name]["deploy"]["replicas"]
    assert {main(name)["image"] for name in ("migrate", "web", "worker")} == {"team-studio"}
    assert all(SERVICES[name]["image"] == "${STUDIO_IMAGE:-team-studio}" for name in ("migrate", "web", "worker"))
    assert main("database")["image"] == SERVICES["database"]["image"]
    [renamed] = documents(DEPLOY / "kubernetes/kustomization.yaml")[0]["images"]
    assert renamed["name"] == main("web")["image"]


def test_their_variables_are_settings_of_the_studio():
    for name in ("migrate", "web", "worker"):
        in_compose = {key for key in SERVICES[name]["environment"] if key.startswith("STUDIO_")}
        in_pod = {each["name"] for each in main(name)["env"]}
        assert {key.removeprefix("STUDIO_").lower() for key in in_compose | in_pod} <= Settings.model_fields.keys()
        assert in_pod <= in_compose
        assert "STUDIO_DATABASE_URL" in in_pod


def test_what_is_read_of_the_secret_is_what_the_how_to_puts_there():
    references = [
        each["valueFrom"]["secretKeyRef"] for one in containers() for each in one.get("env", []) if "valueFrom" in each
    ]
    volumes = [volume["secret"] for name in WORKLOADS for volume in pod(name).get("volumes", []) if "secret" in volume]
    read = {reference["key"] for reference in references} | {item["key"] for each in volumes for item in each["items"]}
    assert {each["name"] for each in references} | {each["secretName"] for each in volumes} == {"team-studio"}
    [command] = re.findall(r"kubectl create secret generic team-studio.*?\n\s*```", HOW_TO, re.DOTALL)
    assert set(re.findall(r"--from-(?:literal|file)=([\w.-]+)=", command)) == read


@pytest.mark.parametrize("name", ["web", "worker"])
def test_a_pod_is_asked_where_it_answers(name: str):
    container = main(name)
    [port] = container["ports"]
    assert port["containerPort"] == Settings.model_fields["port"].default
    assert f":{port['containerPort']}/readyz" in SERVICES[name]["healthcheck"]["test"][-1]
    asked = {kind: container[kind]["httpGet"] for kind in ("startupProbe", "readinessProbe", "livenessProbe")}
    assert {probe["port"] for probe in asked.values()} == {port["name"]}
    assert asked["readinessProbe"]["path"] == "/readyz"
    assert {asked[kind]["path"] for kind in ("startupProbe", "livenessProbe")} == {"/healthz"}


def test_who_is_told_to_stop_has_the_time_for_it():
    before_s = int(main("web")["lifecycle"]["preStop"]["exec"]["command"][1])
    seconds = {name: int(SERVICES[name]["stop_grace_period"].removesuffix("s")) for name in ("web", "worker")}
    assert seconds["web"] > WEB_GRACE_S + 5
    assert seconds["worker"] > WORKER_GRACE_S + 10
    assert pod("web")["terminationGracePeriodSeconds"] >= seconds["web"] + before_s
    assert pod("worker")["terminationGracePeriodSeconds"] >= seconds["worker"]


def test_no_container_is_root_or_changes_its_own_files():
    [user] = re.findall(r"--uid (\d+)", " ".join(of(stages(ROOT / "Dockerfile")[-1], "RUN")))
    for name in WORKLOADS:
        assert pod(name)["securityContext"]["runAsNonRoot"] is True
        assert pod(name)["automountServiceAccountToken"] is False
        assert pod(name)["enableServiceLinks"] is False, "STUDIO_PORT would be the address of a service"
        assert name == "database" or pod(name)["securityContext"]["runAsUser"] == int(user)
    for container in containers():
        confined = container["securityContext"]
        assert (confined["readOnlyRootFilesystem"], confined["allowPrivilegeEscalation"]) == (True, False)
        assert confined["capabilities"] == {"drop": ["ALL"]}
    for name, service in SERVICES.items():
        if name != "database":  # its image begins as root, to give the volume to its user
            assert (service["read_only"], service["cap_drop"]) == (True, ["ALL"])


def test_each_selector_finds_a_workload():
    labels = [each["spec"]["template"]["metadata"]["labels"] for each in WORKLOADS.values()]
    found = 0
    for each in MANIFESTS:
        spec = each["spec"]
        for selector in filter(None, (spec.get("selector"), spec.get("podSelector"))):
            assert selector.get("matchLabels", selector) in labels, each["metadata"]["name"]
            found += 1
    assert found >= 9
    budgets = {each["metadata"]["name"] for each in MANIFESTS if each["kind"] == "PodDisruptionBudget"}
    assert budgets == {"web", "worker"}


def test_the_replicas_trust_the_proxy_and_nobody_else_gets_its_address():
    address = SERVICES["proxy"]["networks"]["default"]["ipv4_address"]
    [network] = COMPOSE["networks"]["default"]["ipam"]["config"]
    assert SERVICES["web"]["environment"]["STUDIO_BEHIND_PROXY"] == address
    assert ip_address(address) in ip_network(network["subnet"])
    assert ip_address(address) not in ip_network(network["ip_range"])


def test_secrets_are_in_no_file():
    for file in DEPLOY.rglob("*.yaml"):
        assert "kind: Secret" not in file.read_text()
    assert SERVICES["database"]["environment"]["POSTGRES_PASSWORD"] == "${POSTGRES_PASSWORD:?}"
    assert "${POSTGRES_PASSWORD:?}" in SERVICES["web"]["environment"]["STUDIO_DATABASE_URL"]

"""The Dockerfile without a Docker engine: what it names exists, and what a container must be is said."""

from __future__ import annotations

import re
import tomllib
from itertools import chain

from studio.settings import Settings
from tests.packaging.conftest import ROOT
from tests.packaging.dockerfile import instructions, json_form, of, settings_of, stages

DOCKERFILE = ROOT / "Dockerfile"
BUILD, FINAL = stages(DOCKERFILE)


def copied_from_the_checkout() -> list[str]:
    copies = [text.split() for text in of(BUILD, "COPY") + of(FINAL, "COPY") if "--from" not in text]
    return [source for words in copies for source in words[:-1]]


def test_every_path_it_copies_exists():
    assert [path for path in copied_from_the_checkout() if not (ROOT / path).exists()] == []


def test_the_ignore_file_lets_through_what_it_copies():
    rules = (ROOT / ".dockerignore").read_text().splitlines()
    assert "*" in rules
    assert {rule.removeprefix("!") for rule in rules if rule.startswith("!")} == set(copied_from_the_checkout())


def test_it_copies_all_that_the_wheel_is_built_from():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]
    metadata = [project["project"]["readme"], *project["project"]["license-files"]]
    needed = chain(wheel["packages"], wheel["force-include"], metadata)
    assert {path.split("/")[0] for path in needed} <= set(copied_from_the_checkout())


def test_each_package_that_it_installs_is_checked_by_its_hash():
    installs = [
        words for run in of(BUILD, "RUN") + of(FINAL, "RUN") for words in run.split("&&") if "pip install" in words
    ]
    assert len(installs) == 3
    assert all("--require-hashes" in words or "--no-deps --no-index" in words for words in installs)
    assert not any("pip wheel" in run and "--no-build-isolation" not in run for run in of(BUILD, "RUN"))


def test_it_is_built_with_extras_that_there_are():
    assert of(BUILD, "ARG") == ['EXTRAS=""']
    assert '"$EXTRAS"' in of(BUILD, "RUN")[0]
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    text = DOCKERFILE.read_text() + (ROOT / "docs/how-to/deploy-with-docker.md").read_text()
    named = {name for words in re.findall(r"EXTRAS=([a-z][\w,-]*)", text) for name in words.split(",")}
    assert named
    assert named <= extras.keys()


def test_its_base_images_are_pinned():
    images = [text.split()[0] for text in of(BUILD, "FROM") + of(FINAL, "FROM")]
    assert all(re.fullmatch(r"python:3\.\d+-slim-\w+", image) for image in images)
    assert len(set(images)) == 1


def test_it_does_not_run_as_root():
    assert of(FINAL, "USER") == ["studio"]
    names = [name for name, _ in FINAL]
    assert names.index("USER") < names.index("CMD")
    assert "RUN" not in names[names.index("USER") :]


def test_its_data_is_in_a_volume_that_the_user_owns():
    assert of(FINAL, "VOLUME") == [settings_of(FINAL)["DATA_DIR"]]
    assert any("--owner studio" in run and run.endswith(" /data") for run in of(FINAL, "RUN"))


def test_its_settings_are_settings_of_the_studio():
    given = settings_of(FINAL)
    assert {name.lower() for name in given} <= Settings.model_fields.keys()
    assert of(FINAL, "EXPOSE") == [given["PORT"]]


def test_it_has_a_health_check_and_starts_without_a_shell():
    (health,) = of(FINAL, "HEALTHCHECK")
    assert "/healthz" in json_form(health.partition("CMD")[2])[-1]
    assert json_form(of(FINAL, "CMD")[0])[:2] == ["studio", "serve"]


def test_it_holds_no_secret():
    named = [text for name, text in instructions(DOCKERFILE) if name in {"ENV", "ARG"}]
    assert not re.search(r"TOKEN|KEY|SECRET|PASSWORD", " ".join(named), re.IGNORECASE)

"""What the launcher is told, as JSON: the policy of one jail and how it is to be held."""

from __future__ import annotations

import json
from dataclasses import dataclass


@dataclass(frozen=True)
class JailSpec:
    """One jail.

    Args:
        stage: `all`; or `inner` where another program has made the namespaces and the view of the files.
        has_namespaces: Whether users, processes, network and mounts are the jail's own.
        folder: The working directory.
        is_folder_new: Whether an empty one in memory takes its place.
        readable: All files and folders to read and execute.
        masks: Folders and files within readable ones that are shown empty.
        writable: All folders to change, `folder` among them.
        user: Whom to become; None to stay who it is.
        has_memory_files: Whether it may make files that only memory holds.
        memory_mb, address_space_mb, processes, file_mb, disk_mb, files, open_files, all_open_files, cpu_s: The bounds.
    """

    stage: str
    has_namespaces: bool
    folder: str
    is_folder_new: bool
    readable: list[str]
    masks: list[str]
    writable: list[str]
    user: int | None
    has_memory_files: bool
    memory_mb: int
    address_space_mb: int | None
    processes: int
    file_mb: int
    disk_mb: int
    files: int
    open_files: int
    all_open_files: int
    cpu_s: int | None

    @classmethod
    def read(cls, text: str) -> JailSpec:
        return cls(**json.loads(text))

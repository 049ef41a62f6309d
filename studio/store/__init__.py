"""What the studio keeps: teams, galleries, runs with their logs, secrets, approvals."""

from studio.store.approvals import Approvals as Approvals
from studio.store.galleries import LIBRARY as LIBRARY
from studio.store.galleries import Galleries as Galleries
from studio.store.galleries import GallerySummary as GallerySummary
from studio.store.merging import TeamDocument as TeamDocument
from studio.store.merging import TeamsDiffer as TeamsDiffer
from studio.store.opening import Store as Store
from studio.store.opening import open_store as open_store
from studio.store.runs import Runs as Runs
from studio.store.secrets import Secrets as Secrets
from studio.store.secrets import SecretSummary as SecretSummary
from studio.store.teams import Choices as Choices
from studio.store.teams import Teams as Teams
from studio.store.teams import TeamSummary as TeamSummary
from studio.store.teams import VersionSummary as VersionSummary

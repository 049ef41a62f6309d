"""What the studio keeps: teams, galleries, runs with their logs, secrets, approvals."""

from studio.store.approvals import Approvals as Approvals
from studio.store.arrivals import Arrivals as Arrivals
from studio.store.costs import Cost as Cost
from studio.store.costs import Costs as Costs
from studio.store.costs import DayPart as DayPart
from studio.store.costs import PastRun as PastRun
from studio.store.costs import RunPart as RunPart
from studio.store.costs import Step as Step
from studio.store.galleries import LIBRARY as LIBRARY
from studio.store.galleries import Galleries as Galleries
from studio.store.galleries import GallerySummary as GallerySummary
from studio.store.logs import Found as Found
from studio.store.logs import Hit as Hit
from studio.store.logs import IndexRow as IndexRow
from studio.store.logs import Logs as Logs
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

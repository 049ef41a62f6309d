"""Deployments: teams under a name, which callers reach with a key. See docs/design/deployments.md."""

from studio.deployments.chat import ChatAccess as ChatAccess
from studio.deployments.chat import ChatSettings as ChatSettings
from studio.deployments.errors import CallNotFound as CallNotFound
from studio.deployments.errors import CallRefused as CallRefused
from studio.deployments.errors import DeploymentUnavailable as DeploymentUnavailable
from studio.deployments.errors import IdempotencyKeyReused as IdempotencyKeyReused
from studio.deployments.errors import LimitReached as LimitReached
from studio.deployments.errors import ThreadBusy as ThreadBusy
from studio.deployments.keys import KEY_PREFIX as KEY_PREFIX
from studio.deployments.keys import LINK_PREFIX as LINK_PREFIX
from studio.deployments.keys import NOBODYS as NOBODYS
from studio.deployments.keys import KeyUse as KeyUse
from studio.deployments.keys import make_key as make_key
from studio.deployments.settings import NAME_PATTERN as NAME_PATTERN
from studio.deployments.settings import CallLimits as CallLimits
from studio.deployments.settings import DeploymentSettings as DeploymentSettings
from studio.deployments.view import CallEvent as CallEvent
from studio.deployments.view import CallState as CallState
from studio.deployments.view import CallView as CallView
from studio.deployments.view import Failure as Failure
from studio.deployments.view import Question as Question

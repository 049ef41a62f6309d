"""Where each page of the studio leads for help: the one table."""

from __future__ import annotations

from collections.abc import Mapping

HELP: Mapping[str, str] = {
    "pages/account.html": "/help/how-to/share-a-studio-with-a-team",
    "pages/approvals.html": "/help/how-to/run-a-strangers-team",
    "pages/audit.html": "/help/how-to/share-a-studio-with-a-team",
    "pages/beside.html": "/help/how-to/compare-two-runs",
    "pages/builder.html": "/help/how-to/build-each-kind-of-team",
    "pages/charts.html": "/help/how-to/analyze-and-limit-costs",
    "pages/compare.html": "/help/how-to/compare-two-runs",
    "pages/consent.html": "/help/how-to/publish-a-team",
    "pages/costs.html": "/help/how-to/set-budgets",
    "pages/deployment.html": "/help/how-to/publish-a-team",
    "pages/deployments.html": "/help/how-to/publish-a-team",
    "pages/evaluation.html": "/help/how-to/evaluate-a-team",
    "pages/labels.html": "/help/how-to/label-runs",
    "pages/error.html": "/help",
    "pages/galleries.html": "/help/how-to/import-an-autogen-gallery",
    "pages/gallery.html": "/help/how-to/import-an-autogen-gallery",
    "pages/health.html": "/help/how-to/check-the-studio-itself",
    "pages/workers.html": "/help/how-to/run-several-processes",
    "pages/help.html": "",
    "pages/inbox.html": "/help/how-to/approve-tool-calls",
    "pages/knowledge.html": "/help/how-to/answer-from-your-documents",
    "pages/knowledge_base.html": "/help/how-to/answer-from-your-documents",
    "pages/knowledge_document.html": "/help/how-to/answer-from-your-documents",
    "pages/models.html": "/help/how-to/connect-models",
    "pages/playground.html": "/help/how-to/control-a-run",
    "pages/ready_team.html": "/help/how-to/start-from-a-ready-team",
    "pages/ready_teams.html": "/help/how-to/start-from-a-ready-team",
    "pages/review.html": "/help/how-to/run-a-strangers-team",
    "pages/runs.html": "/help/how-to/find-runs",
    "pages/settings.html": "/help/how-to/keep-secrets",
    "pages/share.html": "/help/how-to/share-a-run",
    "pages/suite.html": "/help/how-to/evaluate-a-team",
    "pages/suites.html": "/help/how-to/evaluate-a-team",
    "pages/teams.html": "/help/how-to/keep-teams-and-runs-in-order",
    "pages/trash.html": "/help/how-to/keep-teams-and-runs-in-order",
    "pages/users.html": "/help/how-to/share-a-studio-with-a-team",
}
"""By template; a page without a line here cannot be rendered. Help itself leads nowhere else."""

// @ts-check

/** The id of the team that the page is about; "" where it is about none. */
export function pageTeamId() {
  const holder = document.querySelector('[data-team-id]')
  return holder instanceof HTMLElement ? (holder.dataset['teamId'] ?? '') : ''
}

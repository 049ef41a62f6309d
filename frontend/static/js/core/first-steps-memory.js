// @ts-check
// Whether this browser still wants to be told how a first team is made, and in which team it began.
const KEY = 'studio-first-steps'
const HIDDEN = 'hidden'

/** The team in which they were begun; "" when they were not. */
export function firstStepsTeam() {
  const kept = localStorage.getItem(KEY) ?? ''
  return kept === HIDDEN ? '' : kept
}

export function areFirstStepsHidden() {
  return localStorage.getItem(KEY) === HIDDEN
}

export function hideFirstSteps() {
  localStorage.setItem(KEY, HIDDEN)
}

/** @param {string} teamId */
export function beginFirstSteps(teamId) {
  localStorage.setItem(KEY, teamId)
}

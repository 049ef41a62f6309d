// @ts-check
// The page Runs: filters apply as they are chosen; runs are kept in order one by one or several
// together.
import { api } from './core/api.js'
import { list } from './core/lists.js'

list('run', (id, title) => api.patch(`/api/runs/${id}`, { title }))

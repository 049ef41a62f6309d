// @ts-check
// The page Charts: what is chosen applies at once.
import { on } from './core/dom.js'

on(document, 'change', '[data-filter] select', (_event, field) =>
  field.closest('form')?.requestSubmit(),
)

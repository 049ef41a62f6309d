// @ts-check
// The page Approvals of the settings.
import { on } from './core/dom.js'
import { revoke } from './core/revoke.js'
import { toastError } from './core/toast.js'

on(document, 'click', '[data-revoke]', async (_event, button) => {
  try {
    if (await revoke(button)) location.reload()
  } catch (error) {
    toastError(error)
  }
})

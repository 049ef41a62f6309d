// @ts-check
// What every page has: theme, menus, copy buttons, dialogs and the command palette.
import { copyText } from './core/copy.js'
import { dialogs } from './core/dialog.js'
import { on } from './core/dom.js'
import { inboxCount } from './core/inbox-count.js'
import { menus } from './core/menu.js'
import { notificationSwitch } from './core/notifications.js'
import { openPalette } from './core/palette.js'
import { bindShortcuts } from './core/shortcuts.js'
import { themeSwitch } from './core/theme.js'
import { toastError } from './core/toast.js'

// Whatever fails and is caught nowhere is at least told.
addEventListener('unhandledrejection', (event) => toastError(event.reason))
themeSwitch(document)
menus(document)
dialogs(document)
copyText(document)
notificationSwitch(document)
inboxCount(document)
bindShortcuts(document, [
  { keys: 'mod+k', label: 'Find a command', inFields: true, run: () => void openPalette() },
])
on(document, 'click', '[data-open-palette]', () => void openPalette())

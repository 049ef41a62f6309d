// @ts-check
// What every page has: theme, menus, copy buttons, dialogs and htmx.
import 'htmx.org'
import { copyText } from './core/copy.js'
import { dialogs } from './core/dialog.js'
import { menus } from './core/menu.js'
import { themeSwitch } from './core/theme.js'

themeSwitch(document)
menus(document)
dialogs(document)
copyText(document)

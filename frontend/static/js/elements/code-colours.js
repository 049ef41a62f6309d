// @ts-check
import { tags } from '@lezer/highlight'

/** What each sort of word in code is drawn in: in editors and in messages. */
export const CODE_COLOURS = [
  { tag: [tags.propertyName, tags.definition(tags.variableName)], color: 'var(--kind-context)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--kind-executor)' },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], color: 'var(--kind-tool)' },
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier], color: 'var(--kind-agent)' },
  { tag: [tags.function(tags.variableName), tags.className], color: 'var(--kind-model)' },
  { tag: tags.comment, color: 'var(--color-text-muted)', fontStyle: 'italic' },
  { tag: tags.invalid, color: 'var(--color-danger)' },
]

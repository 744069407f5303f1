import type { SystemType } from '../codes.ts'
import { type Field, fieldText, type SystemNotice } from './fields.ts'

import { SYSTEM_NOTICES } from './notices.ts'

/** Finds the definition of a stored type. Returns undefined for types from imports. */
export const systemNotice = (type: unknown): SystemNotice | undefined =>
  Object.hasOwn(SYSTEM_NOTICES, String(type)) ? SYSTEM_NOTICES[type as SystemType] : undefined

/** The row of a type in the table of notifications-9. */
export function ruleOf(type: SystemType): string {
  const { when, who, fields, resource, besides, shown } = SYSTEM_NOTICES[type]
  const named = Object.entries(fields).map(
    ([name, note]) => `${fieldText(name as Field)}${note ? ` (${note})` : ''}`,
  )
  const data = `${[named.join(', '), ...(besides ? [besides] : [])].join('; ')}; resource (${resource})`
  const name = shown ? `\`${shown.type}\`` : ''
  const states = shown?.states ? ` when ${shown.states.map((state) => `\`${state}\``).join(', ')}` : ''
  return `| \`${type}\` | ${name}${states} | ${when} | ${who} | ${data} |`
}

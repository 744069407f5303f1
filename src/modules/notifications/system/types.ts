import type { SystemType } from '../codes.ts'
import { type Field, fieldText, type SystemNotice } from './fields.ts'

import { SYSTEM_NOTICES } from './notices.ts'

/** What is known of a stored type; undefined for one that older communities brought along. */
export const systemNotice = (type: unknown): SystemNotice | undefined =>
  Object.hasOwn(SYSTEM_NOTICES, String(type)) ? SYSTEM_NOTICES[type as SystemType] : undefined

/** The row of a type in the table of notifications-9. */
export function ruleOf(type: SystemType): string {
  const { when, who, fields, resource, besides, shown } = SYSTEM_NOTICES[type]
  const named = Object.entries(fields).map(
    ([name, note]) => `${fieldText(name as Field)}${note ? ` (${note})` : ''}`,
  )
  const data = `${[named.join(', '), ...(besides ? [besides] : [])].join('; ')}; resource (${resource})`
  return `| \`${type}\` | ${shown ? `\`${shown.type}\`` : ''} | ${when} | ${who} | ${data} |`
}

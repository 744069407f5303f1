import { extras, users } from './people.ts'
import { blocked, famous, followed, recommended } from './relations.ts'

/** Counters of users. Imported after the check-ins. */
export const extraTables = [extras]

export const accountTables = [users, followed, blocked, famous, recommended]

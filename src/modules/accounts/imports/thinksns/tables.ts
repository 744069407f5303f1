import { extras, users } from './people.ts'
import { blocked, famous, followed, recommended } from './relations.ts'

/** People and what they are to each other. */
export const accountTables = [users, extras, followed, blocked, famous, recommended]

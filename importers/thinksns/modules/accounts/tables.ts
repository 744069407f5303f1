import { extras, users } from './people.ts'
import { blocked, famous, followed, recommended } from './relations.ts'

export const extraTables = [extras]

export const accountTables = [users, followed, blocked, famous, recommended]

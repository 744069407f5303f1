import { abilityTables, roleUsers } from '#modules/abilities/index.ts'
import { accountTables, disablePeople, showAvatars } from '#modules/accounts/index.ts'
import { copyPictures, copyUploads, fileTables } from '#modules/files/index.ts'
import type { Plan } from '#platform/database-import/run.ts'
import type { FindOwners } from '#platform/database-import/table.ts'
import { ownersOf } from '#platform/database-import/write.ts'
import { recountAll, setIdentities } from './finish.ts'

/** Everything that comes along, each thing after what it refers to. */
export const PLAN: Plan = [
  ...abilityTables,
  ...accountTables,
  roleUsers,
  disablePeople,
  ...fileTables,
  copyUploads,
  copyPictures,
  showAvatars,
  setIdentities,
  recountAll,
]

/** Where what people refer to is found, and who published it. */
export const THINGS: Record<string, FindOwners> = {
  users: ownersOf('users', 'id'),
}

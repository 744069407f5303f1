import type { Secrets } from '#platform/crypto.ts'
import type { Db } from '#platform/database'
import { StartFault } from '#platform/start-fault.ts'

const NAME = 'app-secret'
const TEXT = 'the secret that this database was sealed with'

/** Returns the secret check of a database; undefined for an unused one or an older version. */
export async function findSecretCheck(sql: Db): Promise<string | undefined> {
  const [table] = await sql`select to_regclass('secret_checks') as present`
  if (table?.present === null) return undefined
  const [row] = await sql<{ value: string }[]>`select value from secret_checks where name = ${NAME}`
  return row?.value
}

/** Stores a check of the secret that seals this database, unless there is one. */
export async function keepSecretCheck(sql: Db, secrets: Secrets): Promise<void> {
  await sql`
    insert into secret_checks (name, value) values (${NAME}, ${secrets.sign(TEXT)}) on conflict (name) do nothing`
}

/**
 * Rejects another secret than the one that sealed the database, because sealed values and signed links would
 * be invalid.
 */
export function requireSecret(secrets: Secrets, check: string | undefined, from: string): void {
  if (check === undefined || secrets.verify(TEXT, check)) return
  throw new StartFault(
    `${from} is not the secret that the database was sealed with: give the one that was in use, from a backup if need be.`,
  )
}

import type { Secrets } from '#platform/crypto.ts'
import type { Db } from '#platform/database'
import { StartFault } from '#platform/start-fault.ts'

const NAME = 'app-secret'
const TEXT = 'the secret that this database was sealed with'

/** Returns undefined for a new database, or one that predates secret checks. */
export async function findSecretCheck(sql: Db): Promise<string | undefined> {
  const [table] = await sql`select to_regclass('secret_checks') as present`
  if (table?.present === null) return undefined
  const [row] = await sql<{ value: string }[]>`select value from secret_checks where name = ${NAME}`
  return row?.value
}

/** Signs a constant with the app secret, so that later starts detect a different secret. */
export async function keepSecretCheck(sql: Db, secrets: Secrets): Promise<void> {
  await sql`
    insert into secret_checks (name, value) values (${NAME}, ${secrets.sign(TEXT)}) on conflict (name) do nothing`
}

/**
 * Rejects an app secret that differs from the secret of the database, because another secret could not open
 * sealed values or verify signed links.
 */
export function requireSecret(secrets: Secrets, check: string | undefined, from: string): void {
  if (check === undefined || secrets.verify(TEXT, check)) return
  throw new StartFault(
    `${from} is not the secret that the database was sealed with: use the original secret, for example from a backup.`,
  )
}

import type { Secrets } from '#platform/crypto.ts'
import type { Db } from '#platform/database.ts'
import { StartFault } from '#platform/start-fault.ts'

const NAME = 'app-secret'
const TEXT = 'the secret that this database was sealed with'

/** What a database keeps of its secret; undefined for one that was never used, or not by a version that keeps it. */
export async function findSecretCheck(sql: Db): Promise<string | undefined> {
  const [table] = await sql`select to_regclass('secret_checks') as present`
  if (table?.present === null) return undefined
  const [row] = await sql<{ value: string }[]>`select value from secret_checks where name = ${NAME}`
  return row?.value
}

/** Keeps which secret this database is sealed with, unless that is known. */
export async function keepSecretCheck(sql: Db, secrets: Secrets): Promise<void> {
  await sql`
    insert into secret_checks (name, value) values (${NAME}, ${secrets.sign(TEXT)}) on conflict (name) do nothing`
}

/** Refuses a secret that the database was not sealed with: what it holds could not be read, nor any link be checked. */
export function requireSecret(secrets: Secrets, check: string | undefined, from: string): void {
  if (check === undefined || secrets.verify(TEXT, check)) return
  throw new StartFault(
    `${from} is not the secret that the database was sealed with: give the one that was in use, from a backup if need be.`,
  )
}

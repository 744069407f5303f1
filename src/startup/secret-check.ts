import { join } from 'node:path'
import { loadAppSecret } from '#platform/app-secret.ts'
import type { Config } from '#platform/config'
import { createSecrets, type Secrets } from '#platform/crypto.ts'
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
 * Loads the app secret, or creates one for a new database. Rejects a secret that differs from the secret of the
 * database, because another secret could not open sealed values or verify signed links.
 */
export async function openSecrets(
  sql: Db,
  { appSecret, dataDir }: Pick<Config, 'appSecret' | 'dataDir'>,
): Promise<Secrets> {
  const check = await findSecretCheck(sql)
  const secrets = createSecrets(appSecret ?? loadAppSecret(dataDir, { mayCreate: check === undefined }))
  if (check === undefined || secrets.verify(TEXT, check)) return secrets
  const from = appSecret ? 'APP_SECRET' : join(dataDir, 'app-secret')
  throw new StartFault(
    `${from} is not the secret that the database was sealed with: use the original secret, for example from a backup.`,
  )
}

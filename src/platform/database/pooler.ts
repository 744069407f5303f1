import type { Log } from '#platform/observability'
import { StartFault } from '#platform/start-fault.ts'
import { type DatabaseOptions, openDatabase, type Sql, sessionSettings } from './database.ts'

/** Session parameters for the pooler's configuration. */
export function connectQuery(options: Pick<DatabaseOptions, 'statementTimeoutMs' | 'lockTimeoutMs'>): string {
  return Object.entries(sessionSettings(options))
    .map(([name, value]) => `set ${name} = ${value}`)
    .join('; ')
}

/** Errors of a pooler without prepared statements: on the first use, or on the second of a name. */
const LOST = new Set(['26000', '25P02', '42P05', '08P01'])

/**
 * Checks that a pooler fits: warns when session parameters are missing, and stops when the pooler would lose
 * prepared statements.
 */
export async function checkPooler(options: DatabaseOptions, log: Log): Promise<void> {
  const one = openDatabase({ ...options, poolSize: 1 })
  const other = openDatabase({ ...options, poolSize: 1 })
  try {
    const missing = await findMissing(one, options)
    if (missing.length > 0)
      log.warn(
        { missing, connect_query: connectQuery(options) },
        'the pooler does not set up its connections: give it this connect_query (docs/scaling.md)',
      )
    if (options.prepares) await requirePrepared(one, other)
  } finally {
    await Promise.all([one.end({ timeout: 1 }), other.end({ timeout: 1 })])
  }
}

async function findMissing(sql: Sql, options: DatabaseOptions): Promise<string[]> {
  const wanted = Object.entries(sessionSettings(options)).map(([name, value]) => [name, String(value)])
  const found = await sql<{ name: string; setting: string }[]>`
    select name, setting from pg_settings where name = any(${wanted.map(([name = '']) => name)})`
  return wanted.flatMap(([name = '', value]) =>
    found.some((each) => each.name === name && each.setting === value) ? [] : [name],
  )
}

/** Sends a statement prepared over one pooled connection again while another client holds that connection. */
async function requirePrepared(one: Sql, other: Sql): Promise<void> {
  // Outside a transaction the driver would silently prepare it again.
  const ask = () => one.begin((tx) => tx`select pg_backend_pid()`)
  try {
    await ask()
    await other.begin(async (tx) => {
      await tx`select 1`
      await ask()
    })
  } catch (error) {
    if (!LOST.has(String((error as { code?: unknown }).code))) throw error
    throw new StartFault(
      'DATABASE_PREPARED_STATEMENTS: this pooler loses prepared statements: take it off, or use PgBouncer 1.21 or later with max_prepared_statements above 0.',
    )
  }
}

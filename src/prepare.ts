import { seedAbilities } from '#modules/abilities/index.ts'
import type { Context } from '#platform/context.ts'
import { type JobsConnection, migrateJobs } from '#platform/jobs.ts'
import { migrate } from '#platform/migrate.ts'
import { keepSecretCheck } from '#platform/secret-check.ts'

/** Any number that nothing else locks on. */
const LOCK = 4_127_005

/**
 * Brings the database to this version: schema, job queue, roles and abilities; one process after the other, so that none
 * begins while another is half way. Takes two connections. Answers the migrations applied.
 */
export async function prepareDatabase(ctx: Context, connection: JobsConnection): Promise<string[]> {
  const session = await ctx.sql.reserve()
  try {
    await session`set statement_timeout = 0`
    await session`set lock_timeout = 0`
    await session`select pg_advisory_lock(${LOCK})`
    return await prepare(ctx, connection)
  } finally {
    await session`select pg_advisory_unlock(${LOCK})`.catch(() => {})
    await session`reset statement_timeout`.catch(() => {})
    await session`reset lock_timeout`.catch(() => {})
    session.release()
  }
}

async function prepare(ctx: Context, connection: JobsConnection): Promise<string[]> {
  const applied = await migrate(ctx.sql)
  // The queue has migrations of its own; looking for them costs a connection, so it is done only when due.
  const [queue] = await ctx.sql`select to_regclass('graphile_worker.migrations') as present`
  if (applied.length > 0 || queue?.present === null) {
    await migrateJobs(connection)
    await seedAbilities(ctx.sql)
  }
  await keepSecretCheck(ctx.sql, ctx.secrets)
  return applied
}

import { seedAbilities } from '#modules/abilities/index.ts'
import type { Context } from '#platform/context.ts'
import { type JobsConnection, migrateJobs } from '#platform/jobs.ts'
import { migrate } from '#platform/migrate.ts'
import { keepSecretCheck } from '#platform/secret-check.ts'

/** Brings the database to this version: schema, job queue, roles and abilities. Answers the migrations applied. */
export async function prepareDatabase(ctx: Context, connection: JobsConnection): Promise<string[]> {
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

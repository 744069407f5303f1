import { seedAbilities } from '#modules/abilities/index.ts'
import type { Context } from '#platform/context.ts'
import {
  applyMigrations,
  type DatabaseAddress,
  listPendingMigrations,
  listUnknownMigrations,
  withUpgradeLock,
} from '#platform/database'
import { hasJobQueue, migrateJobs } from '#platform/jobs'
import { StartFault } from '#platform/start-fault.ts'
import { keepSecretCheck } from './secret-check.ts'
import { refuseUnfinishedImport } from './unfinished.ts'

/**
 * With MIGRATE=off, fails when the database lacks a migration. Accepts a newer schema, because the previous
 * version of Kith may restart during a rolling update.
 */
export async function prepareStart(ctx: Context, connection: DatabaseAddress): Promise<string[]> {
  await refuseUnfinishedImport(ctx.sql)
  if (ctx.config.migrates) return prepareDatabase(ctx, connection)
  const pending = await listPendingMigrations(ctx.sql)
  if (pending.length > 0)
    throw new StartFault(
      `MIGRATE=off: the database lacks ${pending.length} ${pending.length === 1 ? 'migration' : 'migrations'}, the first is ${pending[0]}: run \`npx kith migrate\` of this version, or set MIGRATE to on.`,
    )
  const unknown = await listUnknownMigrations(ctx.sql)
  if (unknown.length > 0)
    ctx.log.warn({ migrations: unknown }, 'the database belongs to a newer version of Kith')
  return []
}

/**
 * Upgrades schema, job queue, roles and abilities under a lock, so that no process starts on a partly
 * upgraded database. Returns the names of the applied migrations.
 */
export const prepareDatabase = (ctx: Context, connection: DatabaseAddress): Promise<string[]> =>
  withUpgradeLock(ctx.sql, async (session) => {
    const hasQueue = await hasJobQueue(ctx.sql)
    // The schemas are independent, so a first start creates both at once.
    const [applied] = await Promise.all([applyMigrations(session), hasQueue || migrateJobs(connection)])
    // Checks the job queue's schema only after new migrations, because the check costs a connection.
    if (hasQueue && applied.length > 0) await migrateJobs(connection)
    // Repeated at each start, because a kill may separate it from the last migration.
    await seedAbilities(ctx.sql)
    await keepSecretCheck(ctx.sql, ctx.secrets)
    return applied
  })

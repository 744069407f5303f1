import { listPendingMigrations } from '#platform/database'
import { diagnose, reportChannels, reportLeftovers } from '../doctor.ts'
import { prepareDatabase } from '../prepare.ts'
import { SITE } from '../site.ts'
import { type Environment, withContext } from './context.ts'

const print = (line: string) => void process.stdout.write(`${line}\n`)

/** `kith migrate` */
export function migrateDatabase(env: Environment): Promise<number> {
  return withContext(env, async ({ forJobs, connection }) => {
    const applied = await prepareDatabase(forJobs, connection)
    for (const name of applied) print(`applied ${name}`)
    print(applied.length > 0 ? 'The database is up to date.' : 'The database was up to date.')
    return 0
  })
}

/** `kith doctor`: exit code 1 when an unrepaired fault remains. */
export function runDoctor(env: Environment, { mend }: { mend: boolean }): Promise<number> {
  return withContext(env, async ({ ctx }) => {
    const isWell = await diagnose(ctx.sql, { mend, print })
    if ((await listPendingMigrations(ctx.sql)).length === 0) await reportLeftovers(ctx, { mend, print })
    const answers = await reportChannels(ctx, { probes: SITE.probes, print })
    return isWell && answers ? 0 : 1
  })
}

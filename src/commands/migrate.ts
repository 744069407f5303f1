import { prepareDatabase } from '#startup/prepare.ts'
import { type Environment, withContext } from './context.ts'

const print = (line: string) => void process.stdout.write(`${line}\n`)

/**
 * Implements `kith migrate`. Has its own file, because a shared file would load every module, which only the
 * other commands need.
 */
export function migrateDatabase(env: Environment): Promise<number> {
  return withContext(env, async ({ forJobs, connection }) => {
    const applied = await prepareDatabase(forJobs, connection)
    for (const name of applied) print(`applied ${name}`)
    print(applied.length > 0 ? 'The database is up to date.' : 'The database was up to date.')
    return 0
  })
}

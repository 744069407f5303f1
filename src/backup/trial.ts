import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { Db } from '#platform/database'
import { removeAbandoned } from '#platform/files'

const COMMAND = fileURLToPath(new URL('../cli.ts', import.meta.url))
const HOUR_MS = 3_600_000
/** Characters of the output that the last line can have. */
const KEPT_OUTPUT = 2_000

export type RunTrial = (place: string, signal: AbortSignal) => Promise<{ code: number | null; last: string }>

/** Runs `kith backup --check` in a process of its own, so that its memory does not count against the server. */
const runTrial: RunTrial = async (place, signal) => {
  const child = spawn(process.execPath, [COMMAND, 'backup', '--check', place], {
    stdio: ['ignore', 'pipe', 'pipe'],
    signal,
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-KEPT_OUTPUT)
    })
  const [code] = (await once(child, 'close')) as [number | null]
  const lines = output.split('\n').filter((line) => line.trim() !== '')
  return { code, last: (lines.at(-1) ?? `exit code ${code}`).replace(/^kith: /, '').slice(0, 200) }
}

/**
 * Restores a backup into a throw-away database, and records the result. Returns the reason why the backup cannot be
 * restored, if any.
 */
export async function tryBackup(
  sql: Db,
  place: string,
  run: RunTrial = runTrial,
): Promise<string | undefined> {
  // A check that was killed leaves its database behind.
  await removeAbandoned(tmpdir(), (name) => name.startsWith('kith-check-'))
  const started = performance.now()
  const { code, last } = await run(place, AbortSignal.timeout(6 * HOUR_MS))
  const fault = code === 0 ? null : last.replace(/[.\s]+$/, '')
  const seconds = (performance.now() - started) / 1000
  await sql`
    with old as (delete from backup_checks where checked_at < now() - make_interval(days => 400))
    insert into backup_checks (place, checked_at, seconds, fault) values (${place}, now(), ${seconds}, ${fault})
    on conflict (place) do update set checked_at = excluded.checked_at, seconds = excluded.seconds, fault = excluded.fault`
  return fault ?? undefined
}

export type CheckedBackup = { place: string; checked_at: string; seconds: number; fault: string | null }

export const listTrials = (sql: Db, places: string[]) =>
  sql<CheckedBackup[]>`
    select place, checked_at, seconds, fault from backup_checks where place = any(${places})`

/** Returns whether the places hold encrypted backups, as far as this database knows. */
export const listEncryption = (sql: Db, places: string[]) =>
  sql<{ place: string; encrypted: boolean }[]>`
    select distinct on (place) place, encrypted from backup_runs
    where place = any(${places}) and fault is null and encrypted is not null order by place, id desc`

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { findNewestBackup } from '#backup/place.ts'
import type { Probe } from '#contracts/health-check.ts'
import type { Config } from '#platform/config'
import { removeAbandoned } from '#platform/files'
import { HealthFault } from '#platform/health'

const COMMAND = fileURLToPath(new URL('../cli.ts', import.meta.url))
const HOUR_MS = 3_600_000
/** Characters of the output that the last line can have. */
const KEPT_OUTPUT = 2_000

/** Runs `kith backup --check` in a process of its own, so that its memory does not count against the server. */
async function runCheck(place: string, signal: AbortSignal): Promise<{ code: number | null; last: string }> {
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

/** Restores the newest scheduled backup into a throw-away database. */
export async function checkNewestBackup(
  { backupTo, s3 }: Pick<Config, 'backupTo' | 's3'>,
  run = runCheck,
  signal = AbortSignal.timeout(6 * HOUR_MS),
): Promise<void> {
  // A check that was killed leaves its database behind.
  await removeAbandoned(tmpdir(), (name) => name.startsWith('kith-check-'))
  const place = backupTo === undefined ? undefined : await findNewestBackup(backupTo, s3)
  if (place === undefined) throw new HealthFault('backup_missing')
  const { code, last } = await run(place, signal)
  if (code !== 0) throw new HealthFault('backup_unusable', { place, reason: last.replace(/[.\s]+$/, '') })
}

export const backupCheckProbe: Probe = {
  part: 'backup_check',
  settings: 'BACKUP_TO',
  isSilent: true,
  isWeekly: true,
  isUsed: ({ config }) => config.backupTo !== undefined && config.backupCheck === 'weekly',
  check: ({ config }) => checkNewestBackup(config),
}

import type { Stats } from 'node:fs'
import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf } from '#lib/faults.ts'

const HOUR_MS = 3_600_000
/** Age above which no process still writes a temporary file. */
const OLD_MS = 24 * HOUR_MS
/** Time for which a file must have looked old. A wrong clock is usually corrected sooner. */
const WATCHED_MS = 6 * HOUR_MS

type Sighting = { mtimeMs: number; since: number }

const sightings = new Map<string, Map<string, Sighting>>()

/**
 * Removes temporary files that killed processes left in a folder. The clock of the machine may jump, so a file must
 * have looked old in an earlier call too, six hours ago by a monotonic clock. Times of the future count as old,
 * because the clock was ahead when the file was written.
 */
export async function removeAbandoned(
  folder: string,
  isTemporary: (name: string, info: Stats) => boolean = () => true,
): Promise<void> {
  const before = sightings.get(folder)
  const now = new Map<string, Sighting>()
  const names = await readdir(folder).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return []
    throw error
  })
  for (const name of names) {
    const path = join(folder, name)
    const info = await stat(path).catch(() => undefined)
    if (!info || !isTemporary(name, info) || Math.abs(Date.now() - info.mtimeMs) <= OLD_MS) continue
    const { mtimeMs } = info
    const seen = before?.get(name)
    const since = seen?.mtimeMs === mtimeMs ? seen.since : performance.now()
    if (performance.now() - since >= WATCHED_MS) await rm(path, { recursive: true, force: true })
    else now.set(name, { mtimeMs, since })
  }
  sightings.set(folder, now)
}

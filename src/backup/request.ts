import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf } from '#lib/faults.ts'
import type { Config } from '#platform/config'

type Place = Pick<Config, 'dataDir'>

export const restoreFolder = ({ dataDir }: Place) => join(dataDir, 'restore')
export const uploadedBackup = (place: Place) => join(restoreFolder(place), 'upload.backup')
export const requestFile = (place: Place) => join(restoreFolder(place), 'request.json')
const outcomeFile = (place: Place) => join(restoreFolder(place), 'outcome.json')

/** A restore that the next start of the server runs. */
export type RestoreRequest = {
  from: string
  /** An attempt has started. */
  tried?: true
  /** An attempt has changed the database, so only another attempt helps. */
  begun?: true
}

export type RestoreOutcome = { ended_at: string; fault: string | null }

async function write(place: Place, path: string, content: object): Promise<void> {
  await mkdir(restoreFolder(place), { recursive: true, mode: 0o700 })
  await writeFile(`${path}.part`, JSON.stringify(content), { mode: 0o600, flush: true })
  await rename(`${path}.part`, path)
}

async function read<T>(path: string): Promise<T | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as T
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}

export const readRequest = (place: Place) => read<RestoreRequest>(requestFile(place))
export const writeRequest = (place: Place, request: RestoreRequest) =>
  write(place, requestFile(place), request)
export const readOutcome = (place: Place) => read<RestoreOutcome>(outcomeFile(place))

/** Ends a request. `fault` is the reason why the site is unchanged. */
export async function endRequest(place: Place, fault: string | null): Promise<void> {
  await write(place, outcomeFile(place), {
    ended_at: new Date().toISOString(),
    fault,
  } satisfies RestoreOutcome)
  await rm(requestFile(place), { force: true })
  await rm(uploadedBackup(place), { force: true })
}

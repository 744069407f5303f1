import { randomUUID } from 'node:crypto'
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf } from '#lib/faults.ts'
import type { Config } from '#platform/config'

/** Begins with a dot, which no storage key does, so that neither a listing nor a backup contains the file. */
const MARKER = '.kith-store'

const readMarker = (path: string): Promise<string | undefined> =>
  readFile(path, 'utf8').then(
    (text) => text.trim() || undefined,
    (error) => {
      if (codeOf(error) === 'ENOENT') return undefined
      throw error
    },
  )

/** Links the complete file, so that two nodes that share the folder read the same id. */
async function createMarker(folder: string, path: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const draft = `${path}.${randomUUID()}`
  try {
    await writeFile(draft, `${randomUUID()}\n`, { flag: 'wx', mode: 0o600, flush: true })
    // Some file systems support no hard links. The next reading of both nodes then finds the later id.
    await link(draft, path).catch((error) => {
      if (codeOf(error) !== 'EEXIST') return rename(draft, path)
    })
  } finally {
    await rm(draft, { force: true })
  }
}

/** Names the place of the uploads, so that nodes can compare theirs. Marks a local folder with an id. */
export async function identifyStore({
  storage,
  s3,
  dataDir,
}: Pick<Config, 'storage' | 's3' | 'dataDir'>): Promise<string> {
  if (storage === 's3') return `s3 ${s3.endpoint ?? s3.region} ${s3.bucket}`
  const folder = join(dataDir, 'uploads')
  const path = join(folder, MARKER)
  const known = await readMarker(path)
  if (known !== undefined) return `local ${known}`
  await createMarker(folder, path)
  return `local ${await readMarker(path)}`
}

import { relative, resolve } from 'node:path'

/** Settings without quotes, which Docker's `--env-file` would keep. Excludes secrets, which may contain quotes. */
const UNQUOTED = ['SITE_NAME', 'DATA_DIR', 'BACKUP_TO', 'HOST', 'S3_BUCKET']
const PATHS = ['DATA_DIR', 'BACKUP_TO']
/** Folders of the server below DATA_DIR. The server may delete or replace what it did not write there. */
const OWN_FOLDERS = ['uploads', 'postgres', 'exports']

type Read = (name: string) => string | undefined

const quoteFaults = (text: Read) =>
  UNQUOTED.filter((name) => /^(["']).*\1$/s.test(text(name) ?? '')).map(
    (name) => `${name} is in quotes, which would belong to its value: remove them`,
  )

/** Only a shell replaces a tilde, and a service or a container starts without one. */
const tildeFaults = (text: Read) =>
  PATHS.filter((name) => text(name)?.startsWith('~')).map(
    (name) => `${name} begins with ~, which only a shell replaces: write the whole path`,
  )

function backupFaults(text: Read, dataDir: string): string[] {
  const target = text('BACKUP_TO')
  if (target === undefined) return []
  if (target.startsWith('s3://'))
    return ['S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY']
      .filter((name) => !text(name))
      .map((name) => `${name} is required when BACKUP_TO is a bucket`)
  const [first = ''] = relative(resolve(dataDir), resolve(target)).split(/[\\/]/)
  return OWN_FOLDERS.includes(first)
    ? [`BACKUP_TO is in ${first} of DATA_DIR, which belongs to the server: name a folder on another disk`]
    : []
}

const WEB_PARTS = new Set(['{type}', '{id}'])

const webUrlFaults = (given: string | undefined) =>
  (given?.match(/\{[^}]*\}/g) ?? [])
    .filter((part) => !WEB_PARTS.has(part))
    .map((part) => `PUBLIC_WEB_URL has ${part}: it may contain {type} and {id} only`)

/** Addresses that a server listens on, but that no browser can open. */
const NOWHERE = new Set(['0.0.0.0', '[::]'])

/** Finds values that are valid by themselves, but that no operator means. */
export function likelyMistakes(
  text: Read,
  { dataDir, port, metricsPort }: { dataDir: string; port: number; metricsPort: number },
): string[] {
  const host = URL.parse(text('PUBLIC_URL') ?? '')?.hostname ?? ''
  return [
    ...quoteFaults(text),
    ...tildeFaults(text),
    ...backupFaults(text, dataDir),
    ...webUrlFaults(text('PUBLIC_WEB_URL')),
    ...(NOWHERE.has(host)
      ? [`PUBLIC_URL names ${host}, which no browser can open: write the address that members use`]
      : []),
    ...(metricsPort > 0 && metricsPort === port
      ? ['METRICS_PORT is the same as PORT: set it to another number, such as 9464']
      : []),
    ...(text('S3_BUCKET')?.includes('/')
      ? ['S3_BUCKET must be the name of the bucket, without s3:// and /']
      : []),
  ]
}

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

/** Ports of the other scheme, at which browsers would find no site. */
const OTHER_PORTS: Record<string, string> = { 'https:': '80', 'http:': '443' }

function portFaults(site: URL | null): string[] {
  if (!site || site.port === '' || OTHER_PORTS[site.protocol] !== site.port) return []
  const scheme = site.protocol === 'https:' ? 'http' : 'https'
  return [
    `PUBLIC_URL has port ${site.port}, which belongs to ${scheme}: leave out the port or write ${scheme}://`,
  ]
}

function serviceFaults(text: Read): string[] {
  const [mail, redis] = [URL.parse(text('SMTP_URL') ?? ''), URL.parse(text('REDIS_URL') ?? '')]
  return [
    ...(mail && mail.username !== '' && mail.password === ''
      ? ['SMTP_URL has a user without a password: write smtp://USER:PASSWORD@HOST, or leave out the user']
      : []),
    ...(redis && !/^\/?\d*$/.test(redis.pathname)
      ? ['REDIS_URL ends with a name: Redis numbers its databases, so write for example /0']
      : []),
  ]
}

const IM_PREFIXES = { ejabberd: 'IM_EJABBERD_', easemob: 'IM_EASEMOB_' }

/** Names settings of a service that no other setting turns on. An explicit default turns this check off. */
function unusedFaults(text: Read, names: Iterable<string>): string[] {
  const isSet = (name: string) => text(name) !== undefined
  const faults: string[] = []
  if (!isSet('STORAGE') && isSet('S3_BUCKET') && !text('BACKUP_TO')?.startsWith('s3://'))
    faults.push(
      'S3_BUCKET is set without STORAGE, so uploads would stay on this machine: set STORAGE=s3, or STORAGE=local to keep them here',
    )
  for (const [provider, prefix] of Object.entries(IM_PREFIXES)) {
    const name = [...names].find((each) => each.startsWith(prefix) && isSet(each))
    if (!isSet('IM_PROVIDER') && name !== undefined)
      faults.push(
        `${name} is set without IM_PROVIDER, so chat would not use it: set IM_PROVIDER=${provider}, or IM_PROVIDER=embedded to keep chat here`,
      )
  }
  if (isSet('PUSH_SECRET') && !isSet('PUSH_URL')) faults.push('PUSH_SECRET requires PUSH_URL')
  return faults
}

/** Finds values that are valid by themselves, but that no operator means. */
export function likelyMistakes(
  text: Read,
  {
    dataDir,
    port,
    metricsPort,
    names,
  }: { dataDir: string; port: number; metricsPort: number; names: Iterable<string> },
): string[] {
  const site = URL.parse(text('PUBLIC_URL') ?? '')
  const host = site?.hostname ?? ''
  return [
    ...quoteFaults(text),
    ...tildeFaults(text),
    ...backupFaults(text, dataDir),
    ...webUrlFaults(text('PUBLIC_WEB_URL')),
    ...portFaults(site),
    ...serviceFaults(text),
    ...unusedFaults(text, names),
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

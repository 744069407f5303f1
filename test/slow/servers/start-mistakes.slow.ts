import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import type { Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { VERSION } from '#platform/version.ts'
import { databaseError, listenAs } from '#test/fixtures/listeners.ts'
import { programsIn } from '#test/fixtures/programs.ts'
import { findFreePort } from '#test/servers.ts'

const folder = await mkdtemp(join(tmpdir(), 'kith-mistakes-'))
const servers: Server[] = []
after(async () => {
  for (const server of servers) server.close()
  spawnSync('umount', [join(folder, 'small')], { stdio: 'ignore' })
  await rm(folder, { recursive: true, force: true })
})

const NOBODY = 65534
const isRoot = process.getuid?.() === 0
const run = programsIn(folder)

const taken = await listenAs(servers, () => undefined)
const web = await listenAs(servers, () => 'HTTP/1.1 400 Bad Request\r\n\r\n')
const wrongPassword = await listenAs(servers, () => databaseError('28P01', 'password authentication failed'))
const noEntry = await listenAs(servers, () => databaseError('28000', 'no pg_hba.conf entry for host'))
const starting = await listenAs(servers, () => databaseError('57P03', 'the database system is starting up'))
const full = await listenAs(servers, () => databaseError('53300', 'sorry, too many clients already'))
const noDatabase = await listenAs(servers, () => databaseError('3D000', 'database "kith" does not exist'))
const nothing = await findFreePort()
const secret = 'hidden-secret'
const external = (port: number) => `postgres://someone:${secret}@127.0.0.1:${port}/kith`
writeFileSync(join(folder, 'a-file'), '')

const COMPANY = {
  LINKED_PROVIDERS: 'company',
  LINKED_COMPANY_CLIENT_ID: 'a',
  LINKED_COMPANY_CLIENT_SECRET: 'b',
  LINKED_COMPANY_REDIRECT_URL: 'https://example.org/back',
  LINKED_COMPANY_ISSUER: 'https://id.example.org',
}

const MISTAKES: [name: string, env: Record<string, string>, told: RegExp][] = [
  [
    'a port in use',
    { PORT: String(taken) },
    /^PORT: port \d+ is already in use: stop the other program, or set PORT/,
  ],
  ['a port for metrics in use', { METRICS_PORT: String(taken) }, /^METRICS_PORT: port \d+ is already in use/],
  [
    'a port that is not a number',
    { PORT: 'eighty' },
    /^PORT must be an integer from 0 to 65535, not "eighty"\.$/,
  ],
  [
    'a HOST address of another machine',
    { HOST: '192.0.2.1' },
    /^HOST: 192\.0\.2\.1 is not an address of this machine: set/,
  ],
  [
    'an unknown HOST name',
    { HOST: 'no.such.host.invalid' },
    /^HOST: no\.such\.host\.invalid is not an address of/,
  ],
  ['a file as DATA_DIR', { DATA_DIR: join(folder, 'a-file') }, /data directory \S+\/a-file: it is a file/],
  [
    'a DATA_DIR below a file',
    { DATA_DIR: join(folder, 'a-file/data') },
    /it is a file, or its path contains one: set DATA_DIR/,
  ],
  [
    'a port without a database',
    { DATABASE_URL: external(nothing) },
    /^DATABASE_URL: nothing answers at 127\.0\.0\.1:\d+: /,
  ],
  [
    'an unknown database host',
    { DATABASE_URL: 'postgres://a@no.such.host.invalid/x' },
    /^DATABASE_URL: .*invalid/,
  ],
  [
    'a wrong database password',
    { DATABASE_URL: external(wrongPassword) },
    /refuses the user someone or its password: /,
  ],
  [
    'a host without an entry in pg_hba.conf',
    { DATABASE_URL: external(noEntry) },
    /allow it in pg_hba\.conf\.$/,
  ],
  ['a database that is starting', { DATABASE_URL: external(starting) }, /still starting: try again/],
  [
    'a database with too many clients',
    { DATABASE_URL: external(full) },
    /no connection left: raise its max_connections/,
  ],
  [
    'a web server as DATABASE_URL',
    { DATABASE_URL: external(web) },
    /no PostgreSQL answers at .*: correct the address/,
  ],
  [
    'a missing database',
    { DATABASE_URL: external(noDatabase) },
    /there is no database kith at .*: create it with createdb/,
  ],
  [
    'a DATABASE_URL of another database system',
    { DATABASE_URL: 'mysql://a:hidden-secret@b/c' },
    /^DATABASE_URL must be a URL/,
  ],
  [
    'an unescaped password in DATABASE_URL',
    { DATABASE_URL: 'postgres://kith:hidden-secret#/@127.0.0.1:5432/kith' },
    /^DATABASE_URL cannot be read as a URL: in a name or password write # as %23, /,
  ],
  [
    'a mail server without a scheme',
    { SMTP_URL: 'mail.example.org:587' },
    /^SMTP_URL must be a URL that begins with smtp:\/\/ or smtps:\/\/\.$/,
  ],
  [
    'a PROCESSES value that is not a number',
    { PROCESSES: 'many' },
    /^PROCESSES must be auto or an integer from 1 to 64, /,
  ],
  [
    'true as TRUST_PROXY',
    { TRUST_PROXY: 'true' },
    /^TRUST_PROXY has "true", which is neither an IP address nor a /,
  ],
  ['an invalid network in TRUST_PROXY', { TRUST_PROXY: '10.0.0.0/33' }, /^TRUST_PROXY has "10\.0\.0\.0\/33"/],
  [
    'an origin without a scheme',
    { CORS_ORIGINS: 'example.org' },
    /^CORS_ORIGINS .*: write https:\/\/example\.org\.$/,
  ],
  ['an origin with a path', { CORS_ORIGINS: 'https://a.example/' }, /^CORS_ORIGINS has .* without a path\.$/],
  ['a misspelt setting', { SMTP_URI: 'smtp://mail' }, /^SMTP_URI is not a setting: did you mean SMTP_URL\?$/],
  [
    'a misspelt setting of an external provider',
    { ...COMPANY, LINKED_COMPANY_SCOPES: 'openid email' },
    /^LINKED_COMPANY_SCOPES is not a setting: did you mean LINKED_COMPANY_SCOPE\?$/,
  ],
  [
    'a setting of a provider that LINKED_PROVIDERS does not name',
    { ...COMPANY, LINKED_FORGE_TYPE: 'oauth2' },
    /^LINKED_FORGE_TYPE is not a setting: LINKED_PROVIDERS names the providers, /,
  ],
  [
    'a misspelt LINKED_PROVIDERS',
    { LINKED_PROVIDER: 'company' },
    /^LINKED_PROVIDER is not a setting: did you mean LINKED_PROVIDERS\?$/,
  ],
  [
    'a misspelt DATABASE_URL',
    { DATABSE_URL: 'postgres://a@b/c' },
    /^DATABSE_URL is not a setting: did you mean DATABASE_URL\?$/,
  ],
  ['a secret that is too short', { APP_SECRET: 'short' }, /^APP_SECRET must have at least 16 characters\.$/],
  [
    'a backup target with an unsupported scheme',
    { BACKUP_TO: 'ftp://hidden-secret@backups.example.org/kith' },
    /^BACKUP_TO must be a folder or s3:\/\/BUCKET\/FOLDER\.$/,
  ],
  [
    'S3 without a bucket',
    { STORAGE: 's3', S3_ACCESS_KEY_ID: 'a', S3_SECRET_ACCESS_KEY: 'b' },
    /^S3_BUCKET is required/,
  ],
]

// Without the time that a start waits for a database, because it would log that it waits.
const NO_WAIT = { DATABASE_WAIT_MS: '0' }

for (const [name, env, told] of MISTAKES)
  test(`explains ${name} in one sentence`, async () => {
    const dataDir = join(folder, name.replaceAll(' ', '-'))
    const { code, output } = await run(['src/main.ts'], { ...NO_WAIT, PORT: '0', DATA_DIR: dataDir, ...env })
    assert.equal(code, 1, output)
    assert.equal(output.trimEnd().split('\n').length, 1, output)
    assert.match(output.trimEnd(), told)
    assert.match(output, /[.?]\n$/)
    assert.doesNotMatch(output, /\n {4}at |hidden-secret/)
    assert.equal(existsSync(dataDir), false)
  })

test('ignores environment variables of other programs', async () => {
  const env = { HOMEE: 'x', REDIS_PORT: 'tcp://10.0.0.1:6379', EDITOR: 'vi', DATABASE_URI: 'x' }
  const { output } = await run(['src/main.ts'], {
    ...env,
    ...NO_WAIT,
    DATABASE_URL: external(nothing),
    PORT: '0',
  })
  assert.match(output, /^DATABASE_URL: nothing answers/)
})

const asNobody = { skip: isRoot ? false : 'only root can be somebody else' }

test('reports a privileged port to an unprivileged user', asNobody, async (t) => {
  const probe = spawnSync(process.execPath, [
    '-e',
    'process.setgid(65534);process.setuid(65534);require("net").createServer().on("error",()=>process.exit(3)).listen(81,"127.0.0.1",()=>process.exit(0))',
  ])
  // Some systems let every user bind privileged ports.
  if (probe.status === 0) return t.diagnostic('every port is free to everybody here')
  chmodSync(folder, 0o755)
  const { code, output } = await run(['src/main.ts'], { PORT: '81' }, { uid: NOBODY, gid: NOBODY })
  assert.equal(code, 1)
  assert.match(
    output,
    /^PORT: this user may not listen on port 81: set PORT to a number above 1023[^\n]*\.\n$/,
  )
})

test('reports a data folder of another user', asNobody, async () => {
  chmodSync(folder, 0o755)
  const closed = join(folder, 'closed')
  mkdirSync(closed, { mode: 0o700 })
  const env = { PORT: '0', DATA_DIR: join(closed, 'data') }
  const foreign = await run(['src/main.ts'], env, { uid: NOBODY, gid: NOBODY })
  assert.match(
    foreign.output,
    /^Kith cannot use its data directory \S+: this user may not write there: make this user its owner[^\n]*\.\n$/,
  )
  const cluster = join(folder, 'foreign', 'postgres', 'cluster')
  mkdirSync(cluster, { recursive: true })
  chmodSync(join(folder, 'foreign'), 0o777)
  writeFileSync(join(cluster, 'PG_VERSION'), '18\n')
  chownSync(join(cluster, 'PG_VERSION'), 12345, 12345)
  const other = await run(
    ['src/main.ts'],
    { PORT: '0', DATA_DIR: join(folder, 'foreign') },
    { uid: NOBODY, gid: NOBODY },
  )
  assert.match(other.output, /^DATA_DIR: the database in \S+ belongs to the user with id 12345[^\n]*\.\n$/)
})

test('reports a full disk before it creates the database', asNobody, async (t) => {
  const small = join(folder, 'small')
  mkdirSync(small)
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=20m', 'kith', small]).status !== 0)
    return t.diagnostic('nothing can be mounted here')
  const { code, output } = await run(['src/main.ts'], { PORT: '0', DATA_DIR: join(small, 'data') })
  assert.equal(code, 1)
  assert.match(
    output,
    /^Kith cannot use its data directory \S+: no space is left on its disk: free some space, or [^\n]*\.\n$/,
  )
  assert.deepEqual(await readdir(small), [])
})

test('reports a file system that allows no folders', async (t) => {
  if (!existsSync('/proc/self')) return t.diagnostic('there is no such file system here')
  const { code, output } = await run(['src/main.ts'], { PORT: '0', DATA_DIR: '/proc/kith/data' })
  assert.equal(code, 1)
  assert.match(
    output,
    /^Kith cannot use its data directory \/proc\/kith\/data: [^\n]+ set DATA_DIR to another [^\n]+\.\n$/,
  )
})

test('rejects unknown command-line arguments at start', async () => {
  const dataDir = join(folder, 'flags')
  const start = (args: string[], env = {}) =>
    run(['src/main.ts', ...args], { PORT: '0', DATA_DIR: dataDir, ...env })
  for (const [args, told] of [
    [['--dmo'], /^kith: unknown argument --dmo: did you mean --demo\?\n/],
    [['demo'], /^kith: unknown argument demo: did you mean --demo\?\n/],
    [['--port', '9000'], /^kith: unknown argument --port: settings [^\n]* PORT=… npm start\.\n/],
    [['--data-dir=x'], /^kith: unknown argument --data-dir=x: settings [^\n]* DATA_DIR=… npm start\.\n/],
    [['serve'], /^kith: unknown argument serve: settings are environment variables/],
  ] as const) {
    const { code, output } = await start([...args])
    assert.equal(code, 2)
    assert.match(output, told)
    assert.match(output, /Usage: npm start/)
  }
  const swallowed = await start([], { npm_config_demo: 'true', npm_lifecycle_event: 'start' })
  assert.equal(swallowed.code, 2)
  assert.match(swallowed.output, /^kith: npm consumed --demo: use npm start -- --demo\.\n/)
  const help = await start(['--help'])
  assert.deepEqual([help.code, help.output.split('\n')[0]], [0, 'Usage: npm start [-- --demo]'])
  assert.equal(existsSync(dataDir), false)
})

test('suggests a known command for an unknown command', async () => {
  const kith = (...args: string[]) => run(['src/cli.ts', ...args], { DATA_DIR: join(folder, 'cli') })
  assert.deepEqual(await kith('--version'), { code: 0, output: `Kith ${VERSION}\n` })
  for (const [args, told] of [
    [['docter'], /^kith: unknown command 'docter'\n\(Did you mean doctor\?\)\n/],
    [['wroker'], /^kith: unknown command 'wroker'\n\(Did you mean worker\?\)\n/],
    [['admin', 'craete'], /^kith: unknown command 'craete'\n\(Did you mean create\?\)\n/],
    [['doctor', '--mendd'], /^kith: unknown option '--mendd'\n\(Did you mean --mend\?\)\n/],
    [['somersault'], /^kith: unknown command 'somersault'\n/],
  ] as const) {
    const { code, output } = await kith(...args)
    assert.equal(code, 2)
    assert.match(output, told)
  }
  for (const args of [
    ['import', 'music', 'nowhere.jsonl'],
    ['import', 'news', 'package.json', '--files', 'nowhere'],
    ['import', 'thinksns', '--database', 'mysql://a@b/c', '--time-zone', 'UTC', '--files', 'nowhere'],
  ]) {
    const { code, output } = await kith(...args)
    assert.deepEqual([code, output.replace(/nowhere\S*/, 'X')], [1, 'kith: no such file or folder: X\n'])
  }
  assert.equal(existsSync(join(folder, 'cli')), false)
})

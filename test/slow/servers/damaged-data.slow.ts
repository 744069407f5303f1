import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { programsIn } from '#test/fixtures/programs.ts'

const folder = await mkdtemp(join(tmpdir(), 'kith-damaged-'))
const whole = join(folder, 'whole')
const run = programsIn(folder)
before(async () => {
  await chmod(folder, 0o755)
  const { code, output } = await run(['src/cli.ts', 'migrate'], { DATA_DIR: whole })
  assert.equal(code, 0, output)
})
after(() => rm(folder, { recursive: true, force: true }))

const CLUSTER = 'postgres/cluster'

function makeFolder(path: string): void {
  rmSync(path, { force: true })
  mkdirSync(path)
}

function contentsOf(dataDir: string): string[] {
  return ['base', 'global', 'pg_wal'].flatMap((part) => {
    const cwd = join(dataDir, CLUSTER, part)
    return globSync('**', { cwd })
      .filter((name) => statSync(join(cwd, name)).isFile())
      .sort()
      .map(
        (name) =>
          `${part}/${name} ${createHash('sha1')
            .update(readFileSync(join(cwd, name)))
            .digest('hex')}`,
      )
  })
}

const LOST =
  /^DATA_DIR: the database in \S+\/cluster is missing, but \S+\/app-secret shows that one existed: put it back, restore a backup with `npx kith restore`, set DATABASE_URL to a database of your own, or start an empty site in another DATA_DIR\.$/

const DAMAGES: [name: string, damage: (dataDir: string) => void, told: RegExp][] = [
  [
    'app-secret is a folder',
    (at) => makeFolder(join(at, 'app-secret')),
    /^\S+\/app-secret is a folder, but must be a file: restore it from a backup, or set APP_SECRET to its content\.$/,
  ],
  [
    'app-secret is empty',
    (at) => writeFileSync(join(at, 'app-secret'), ''),
    /^\S+\/app-secret is damaged: restore it from a backup, or set APP_SECRET to its content\.$/,
  ],
  ['the cluster is missing', (at) => rmSync(join(at, CLUSTER), { recursive: true }), LOST],
  ['the folder of the database is missing', (at) => rmSync(join(at, 'postgres'), { recursive: true }), LOST],
  [
    'the cluster is empty',
    (at) => {
      rmSync(join(at, CLUSTER), { recursive: true })
      mkdirSync(join(at, CLUSTER))
    },
    LOST,
  ],
  [
    'the cluster and app-secret are missing',
    (at) => {
      rmSync(join(at, CLUSTER), { recursive: true })
      rmSync(join(at, 'app-secret'))
    },
    /^DATA_DIR: the database in \S+\/cluster is missing, but \S+\/postgres\.log shows that one existed: /,
  ],
  [
    'PG_VERSION is missing',
    (at) => rmSync(join(at, CLUSTER, 'PG_VERSION')),
    /^DATA_DIR: the database in \S+ is damaged \(PG_VERSION is missing\): restore it from a backup\.$/,
  ],
  [
    'PG_VERSION is empty',
    (at) => writeFileSync(join(at, CLUSTER, 'PG_VERSION'), ''),
    /^DATA_DIR: the database in \S+ is damaged \(PG_VERSION contains no version\): restore it from a backup\.$/,
  ],
  [
    'PG_VERSION is garbled',
    (at) => writeFileSync(join(at, CLUSTER, 'PG_VERSION'), '\0\xffpostgres\n'),
    /^DATA_DIR: the database in \S+ is damaged \(PG_VERSION contains no version\): restore it from a backup\.$/,
  ],
  [
    'PG_VERSION is a folder',
    (at) => makeFolder(join(at, CLUSTER, 'PG_VERSION')),
    /^DATA_DIR: the database in \S+ is damaged \(PG_VERSION contains no version\): restore it from a backup\.$/,
  ],
  [
    'PG_VERSION names an older PostgreSQL',
    (at) => writeFileSync(join(at, CLUSTER, 'PG_VERSION'), '14\n'),
    /^DATA_DIR: the database in \S+ is of PostgreSQL 14, and this version of Kith includes \d+: back it up with the version of Kith that created it, and restore the backup into a new DATA_DIR\.$/,
  ],
  [
    'PG_VERSION names a newer PostgreSQL',
    (at) => writeFileSync(join(at, CLUSTER, 'PG_VERSION'), '99\n'),
    /^DATA_DIR: the database in \S+ is of PostgreSQL 99, and this version of Kith includes \d+: start the version of Kith that created it\.$/,
  ],
  [
    'pg_control is truncated',
    (at) => truncateSync(join(at, CLUSTER, 'global/pg_control'), 100),
    /^DATA_DIR: the database in \S+ does not start \(.*pg_control.*\): read \S+postgres\.log, and restore it from a backup if [^.]+\.$/,
  ],
  [
    'pg_control is empty',
    (at) => truncateSync(join(at, CLUSTER, 'global/pg_control'), 0),
    /^DATA_DIR: the database in \S+ does not start \(.*pg_control.*\): read \S+postgres\.log, and restore it from a backup if [^.]+\.$/,
  ],
  [
    'pg_control is garbled',
    (at) => writeFileSync(join(at, CLUSTER, 'global/pg_control'), Buffer.alloc(8192, 7)),
    /^DATA_DIR: the database in \S+ does not start \(.+\): read \S+postgres\.log, and restore it from a backup if [^.]+\.$/,
  ],
  [
    'pg_control is missing',
    (at) => rmSync(join(at, CLUSTER, 'global/pg_control')),
    /^DATA_DIR: the database in \S+ does not start \(.*pg_control.*\): read \S+postgres\.log, and restore it from a backup if [^.]+\.$/,
  ],
  [
    'the write-ahead log is missing',
    (at) => rmSync(join(at, CLUSTER, 'pg_wal'), { recursive: true }),
    /^DATA_DIR: the database in \S+ does not start \(.*pg_wal.*\): read \S+postgres\.log, and restore it from a backup if [^.]+\.$/,
  ],
  [
    'local.conf is garbled',
    (at) => writeFileSync(join(at, 'postgres/local.conf'), '\0\xff = \n= =\n'),
    /^DATA_DIR: PostgreSQL cannot read \S+local\.conf \(syntax error .*\): correct it or empty it\.$/,
  ],
  [
    'local.conf has an unknown setting',
    (at) => writeFileSync(join(at, 'postgres/local.conf'), 'shared_bufers = 1GB\n'),
    /^DATA_DIR: PostgreSQL cannot read \S+local\.conf \(unrecognized configuration parameter "shared_bufers".*\): correct it or empty it\.$/,
  ],
  [
    'local.conf has a value out of range',
    (at) => writeFileSync(join(at, 'postgres/local.conf'), "port = 'eighty'\nwork_mem = 'much'\n"),
    /^DATA_DIR: PostgreSQL cannot read \S+local\.conf \(invalid value .*\): correct it or empty it\.$/,
  ],
  [
    'local.conf is a folder',
    (at) => makeFolder(join(at, 'postgres/local.conf')),
    /^Kith cannot use \S+local\.conf: it is a folder, but must be a file: move it away, or restore DATA_DIR from a backup\.$/,
  ],
  [
    'the folder of the database is a file',
    (at) => {
      rmSync(join(at, 'postgres'), { recursive: true })
      writeFileSync(join(at, 'postgres'), '')
    },
    /^Kith cannot use \S+\/postgres: it is a file, but must be a folder: move it away, or restore DATA_DIR from a backup\.$/,
  ],
]

for (const [n, [name, damage, told]] of DAMAGES.entries())
  test(`explains in one sentence why the server cannot start when ${name}`, async () => {
    const dataDir = join(folder, String(n))
    cpSync(whole, dataDir, { recursive: true, preserveTimestamps: true })
    damage(dataDir)
    const hasDatabase = statSync(join(dataDir, CLUSTER), { throwIfNoEntry: false })?.isDirectory() ?? false
    const before = hasDatabase ? contentsOf(dataDir) : []
    const { code, output } = await run(['src/main.ts'], { PORT: '0', DATA_DIR: dataDir, LOG_LEVEL: 'fatal' })
    assert.equal(code, 1, output)
    assert.equal(output.trimEnd().split('\n').length, 1, output)
    assert.match(output.trimEnd(), told)
    // Skips the comparison when app-secret is damaged, because the server detects this only after the started
    // database has changed files.
    if (hasDatabase && !name.startsWith('app-secret')) assert.deepEqual(contentsOf(dataDir), before)
    if (!hasDatabase) assert.equal(existsSync(join(dataDir, CLUSTER)), false)
    rmSync(dataDir, { recursive: true })
  })

test('opens the database again when the missing PG_VERSION is restored', async () => {
  const dataDir = join(folder, 'undone')
  cpSync(whole, dataDir, { recursive: true })
  const version = join(dataDir, CLUSTER, 'PG_VERSION')
  const kept = readFileSync(version)
  rmSync(version)
  assert.equal((await run(['src/main.ts'], { PORT: '0', DATA_DIR: dataDir })).code, 1)
  writeFileSync(version, kept)
  const { code, output } = await run(['src/cli.ts', 'doctor'], { DATA_DIR: dataDir })
  assert.equal(code, 0, output)
})

test('restores a backup when the cluster is missing', async () => {
  const dataDir = join(folder, 'restored')
  const backup = join(folder, 'site.backup')
  cpSync(whole, dataDir, { recursive: true })
  const made = await run(['src/cli.ts', 'backup', backup], { DATA_DIR: dataDir })
  assert.equal(made.code, 0, made.output)
  rmSync(join(dataDir, CLUSTER), { recursive: true })
  const { code, output } = await run(['src/cli.ts', 'restore', backup], { DATA_DIR: dataDir })
  assert.equal(code, 0, output)
})

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { findRunningPostgres, openDatabase } from '#platform/database'

const root = await mkdtemp(join(tmpdir(), 'kith-cli-'))
const dataDir = join(root, 'data')
const env = {
  ...process.env,
  DATA_DIR: dataDir,
  HOST: '127.0.0.1',
  PORT: '0',
  LOG_LEVEL: 'info',
  FOUNDER_NAME: 'skipper',
}
const started: ChildProcess[] = []
after(async () => {
  for (const child of started.filter(
    ({ exitCode, signalCode }) => exitCode === null && signalCode === null,
  )) {
    child.kill('SIGTERM')
    await once(child, 'exit')
  }
  await rm(root, { recursive: true, force: true })
})

type Outcome = { code: number | null; out: string; err: string }

function run(...parameters: string[]) {
  const child = spawn(process.execPath, ['src/cli.ts', ...parameters], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  started.push(child)
  const outcome: Outcome = { code: null, out: '', err: '' }
  child.stdout.on('data', (chunk) => {
    outcome.out += chunk
  })
  child.stderr.on('data', (chunk) => {
    outcome.err += chunk
  })
  const ended = once(child, 'close').then(([code]) => Object.assign(outcome, { code }))
  const says = async (pattern: RegExp) => {
    for (let i = 0; i < 600 && !pattern.test(outcome.out); i += 1) {
      assert.equal(child.exitCode, null, outcome.out + outcome.err)
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    return pattern.exec(outcome.out) ?? assert.fail(`${pattern} is not in ${outcome.out}${outcome.err}`)
  }
  return { child, ended, says }
}
const kith = (...parameters: string[]): Promise<Outcome> => run(...parameters).ended

async function send(address: string, method: string, path: string, body?: object, token?: string) {
  const answer = await fetch(`${address}/api/v2${path}`, {
    method,
    headers: { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  const text = await answer.text()
  return { status: answer.status, body: text === '' ? null : JSON.parse(text) }
}

test('prints the usage and exits with code 2 when arguments are invalid', async () => {
  const help = await kith('help')
  assert.equal(help.code, 0)
  assert.match(help.out, /Usage: kith <command>/)
  assert.equal((await kith('--help')).code, 0)
  const nonsense = [
    [],
    ['dance'],
    ['admin'],
    ['admin', 'create'],
    ['doctor', '--password', 'x'],
    ['migrate', '--dry'],
  ]
  const outcomes = await Promise.all(nonsense.map((parameters) => kith(...parameters)))
  for (const { code, err } of outcomes) {
    assert.equal(code, 2)
    assert.match(err, /^Usage: kith (<command>|(admin|doctor|migrate) )/m)
  }
})

test('prints the usage of one command with --help', async () => {
  const [backup, create, doctor, pair] = await Promise.all([
    kith('backup', '--help'),
    kith('admin', 'create', '--help'),
    kith('help', 'doctor'),
    kith('import', 'thinksns', '-h'),
  ])
  assert.deepEqual(
    [backup, create, doctor, pair].map(({ code }) => code),
    [0, 0, 0, 0],
  )
  assert.match(backup.out, /^Usage: kith backup [^\n]*<FILE>\n[\s\S]+ {2}FILE +File to write, or s3:/)
  assert.match(create.out, /^Usage: kith admin create [^\n]*<NAME>\n[\s\S]+Without --password/)
  assert.doesNotMatch(create.out, /reset-password/)
  assert.match(doctor.out, / {2}--mend [\s\S]+ {2}im [\s\S]+ {2}audit \[FILE\]/)
  assert.match(pair.out, /--close/)
  assert.doesNotMatch(pair.out, /music/)
})

test('names the invalid argument or option', async () => {
  for (const [args, told] of [
    [['backup'], /^kith: missing required argument 'FILE'\n\nUsage: kith backup/],
    [['restore'], /^kith: missing required argument 'FILE'\n\nUsage: kith restore/],
    [['import', 'music'], /^kith: missing required argument 'FILE'\n\nUsage: kith import music/],
    [['admin', 'create'], /^kith: missing required argument 'NAME'\n\nUsage: kith admin create/],
    [['backup', 'a', 'b'], /^kith: too many arguments for 'backup'\. Expected 1 argument but got 2: a, b\./],
    [['migrate', 'now'], /^kith: too many arguments for 'migrate'\. Expected 0 arguments but got 1: now\./],
    [['restore', 'a', '--mend'], /^kith: unknown option '--mend'\n/],
    [['start', '--dmo'], /^kith: unknown option '--dmo'\n\(Did you mean --demo\?\)\n/],
    [['import', 'thinksns'], /^kith: give the URL of the old database with --database\n/],
    [
      ['import', 'thinksns', '--close', '--tls'],
      /^kith: --close and --accept cannot be combined with other options\n/,
    ],
    [['demo', '--remove', '--force'], /^kith: option '--remove' cannot be used with option '--force'\n/],
    [
      ['demo', '--seed', '1.5'],
      /^kith: option '--seed <N>' argument '1.5' is invalid\. It must be a whole number\./,
    ],
  ] as const) {
    const { code, err } = await kith(...args)
    assert.equal(code, 2)
    assert.match(err, told)
  }
})

test('prints the SQL that distributes the notifications table', async () => {
  const [scale, nothing] = await Promise.all([kith('scale', 'notifications'), kith('scale')])
  assert.equal(scale.code, 0)
  assert.match(scale.out, /^select create_distributed_table\('notifications', 'user_id', colocate_with/m)
  assert.equal(nothing.code, 2)
})

test('runs `admin`, `migrate`, `doctor` and `worker` while the server is running', async () => {
  const server = run('start')
  const [, address = ''] = await server.says(/is running at (http:\S+)/)
  assert.match((await server.says(/Administrator +(\S+)/))[1] ?? '', /^skipper$/)
  await server.says(/Password +in \S+founder-password/)
  const kept = join(dataDir, 'founder-password')
  const shown = (await readFile(kept, 'utf8')).trim()
  if (process.platform !== 'win32') assert.equal((await stat(kept)).mode & 0o777, 0o600)
  const founder = await send(address, 'POST', '/auth/login', { login: 'skipper', password: shown })
  assert.equal(founder.status, 200)

  const created = await kith('admin', 'create', 'admin', '--password', 'first password')
  assert.equal(created.code, 0, created.err)
  assert.match(created.out, /Created admin \(id \d+\) with the roles founder, owner/)
  const signedIn = await send(address, 'POST', '/auth/login', { login: 'admin', password: 'first password' })
  assert.equal(signedIn.status, 200)
  const token = signedIn.body.access_token
  const abilities = await send(address, 'GET', '/user/abilities', undefined, token)
  assert.ok(abilities.body.some(({ name }: { name: string }) => name === 'admin: login'))

  const refused = await Promise.all([
    kith('admin', 'create', 'ADMIN', '--random'),
    kith('admin', 'create', 'not a name', '--random'),
    kith('admin', 'create', 'mate', '--random', '--role', 'pirate'),
    kith('admin', 'create', 'mate', '--password', 'short'),
    kith('admin', 'reset-password', 'nobody_here'),
  ])
  for (const [index, reason] of [
    /taken/,
    /not a valid user name/,
    /unknown role pirate/,
    /8 to 128/,
    /unknown user nobody_here/,
  ].entries()) {
    assert.equal(refused[index]?.code, 1)
    assert.match(refused[index]?.err ?? '', reason)
    assert.doesNotMatch(refused[index]?.err ?? '', /\n {4}at /)
  }

  const reset = await kith('admin', 'reset-password', 'admin')
  const [, password] = /Password: (\S+)/.exec(reset.out) ?? []
  assert.equal(reset.code, 0, reset.err)
  // The server receives the change by a signal, a moment after the command has ended.
  let status = 200
  for (let tries = 0; status !== 401 && tries < 600; tries += 1) {
    await new Promise((resolve) => setTimeout(resolve, 100))
    status = (await send(address, 'GET', '/user', undefined, token)).status
  }
  assert.equal(status, 401)
  assert.equal((await send(address, 'POST', '/auth/login', { login: 'admin', password })).status, 200)

  const connected = await findRunningPostgres(join(dataDir, 'postgres'))
  assert.ok(connected)
  const db = openDatabase({ connection: connected, poolSize: 1, statementTimeoutMs: 10_000 })
  await db`update users set deleted_at = now() where name = 'admin'`
  const locked = await kith('admin', 'reset-password', 'admin', '--random')
  assert.match(locked.out, /The account is disabled.*Add --enable/)
  await db`
    insert into linked_accounts (user_id, provider, subject) select id, 'github', '1' from users where name = 'admin'`
  const linked = await kith('admin', 'reset-password', 'admin', '--random')
  assert.match(linked.out, /can still sign in with github\. Add --unlink/)
  const unlinked = await kith('admin', 'reset-password', 'admin', '--random', '--unlink')
  assert.match(unlinked.out, /no longer linked with github/)
  assert.equal((await db`select from linked_accounts`).count, 0)
  const enabled = await kith('admin', 'reset-password', 'admin', '--password', 'another word', '--enable')
  assert.match(enabled.out, /was disabled and is now enabled/)
  const proof = { login: 'admin', password: 'another word' }
  assert.equal((await send(address, 'POST', '/auth/login', proof)).status, 200)
  await db`insert into imports (source, options) values ('thinksns', '{}')`
  const early = await kith('admin', 'create', 'mate', '--random')
  assert.deepEqual([early.code, /the import from thinksns is open/.test(early.err)], [1, true])
  await db`delete from imports`
  await db.end()

  const begun = await kith('epoch')
  assert.equal(begun.code, 0, begun.err)
  const [, name] = /epoch (e[0-9a-f]{8}) began/.exec(begun.out) ?? []
  assert.ok(name, begun.out)
  await server.says(new RegExp(`"epoch":"${name}"`))

  const migrated = await kith('migrate')
  assert.equal(migrated.code, 0)
  assert.match(migrated.out, /was up to date/)

  const healthy = await kith('doctor')
  assert.equal(healthy.code, 0, healthy.out + healthy.err)
  assert.match(healthy.out, /✓ user_counts.followers_count/)
  const connection = await findRunningPostgres(join(dataDir, 'postgres'))
  assert.ok(connection)
  const sql = openDatabase({ connection, poolSize: 1, statementTimeoutMs: 10_000 })
  await sql`update user_counts set followers_count = 3 where user_id = (select min(id) from users)`
  const ill = await kith('doctor')
  assert.equal(ill.code, 1)
  assert.match(ill.out, /✗ user_counts.followers_count: 1 differ\n +1: stored 3, counted 0/)
  assert.equal((await kith('doctor', '--mend')).code, 0)
  const audited = await kith('doctor', 'audit')
  assert.equal(audited.code, 0, audited.out + audited.err)
  assert.match(audited.out, /✓ \d+ records, none changed/)
  const noAnchor = await kith('doctor', 'audit', 'package.json')
  assert.equal(noAnchor.code, 1)
  assert.match(noAnchor.err, /has no line "anchor POSITION HASH"/)
  assert.equal((await kith('doctor')).code, 0)
  const chat = await kith('doctor', 'im', '--mend')
  assert.equal(chat.code, 0, chat.out + chat.err)
  assert.match(chat.out, /✓ embedded responds/)
  assert.match(chat.out, /✓ every confirmed group matches the provider/)
  await sql`alter table users add constraint users_test check (id > 0) not valid`
  const unchecked = await kith('doctor')
  assert.equal(unchecked.code, 1)
  assert.match(unchecked.out, /constraint users_test of users is not validated/)
  await sql`alter table users drop constraint users_test`
  await sql.end()

  const worker = run('worker')
  await worker.says(/worker started/)
  worker.child.kill('SIGTERM')
  assert.equal((await worker.ended).code, 0)

  server.child.kill('SIGTERM')
  assert.equal((await server.ended).code, 0)
  const alone = await kith('admin', 'create', 'boatswain')
  assert.equal(alone.code, 0, alone.err)
  assert.match(alone.out, /Password: \S{16}/)
  assert.equal(await findRunningPostgres(join(dataDir, 'postgres')), null)

  const again = run('start')
  await again.says(/Password +in /)
  assert.doesNotMatch((await again.says(/First request[^\n]*\n/)).input, new RegExp(shown ?? ''))
  again.child.kill('SIGTERM')
  assert.equal((await again.ended).code, 0)
})

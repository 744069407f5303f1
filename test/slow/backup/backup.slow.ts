import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import S3rver from 's3rver'
import { backupSchedules, backupTasks, findBackupState } from '#backup/jobs.ts'
import { backupPath, openBackupPlace } from '#backup/place.ts'
import { verifyBackup } from '#backup/read.ts'
import { readConfig } from '#platform/config'
import { flatPicture } from '#test/fixtures/media.ts'
import { findFreePort, waitForAnswer } from '#test/servers.ts'
import { createWorld } from '#test/world.ts'

const folder = await mkdtemp(join(tmpdir(), 'kith-backup-'))
await chmod(folder, 0o755)
const world = await createWorld()
const { app, as, connection, ctx, person, sql } = world
const SECRET = 'a secret of the tests, long enough'

/** Forwards a TCP port to the database, because the test database listens only on a Unix socket. */
const bridge = createServer((socket) => {
  const inner = connect(`${connection.host}/.s.PGSQL.${connection.port}`)
  socket.on('error', () => inner.destroy())
  inner.on('error', () => socket.destroy())
  socket.pipe(inner).pipe(socket)
})
await new Promise<void>((resolve) => bridge.listen(0, '127.0.0.1', resolve))
const { port: bridgePort } = bridge.address() as { port: number }
const urlOf = (database: string) => `postgres://${connection.user}@127.0.0.1:${bridgePort}/${database}`

const directory = join(folder, 's3')
await mkdir(directory)
const objects = new S3rver({
  address: '127.0.0.1',
  port: 0,
  silent: true,
  directory,
  configureBuckets: [{ name: 'backups', configs: [] }],
})
const { port: s3Port } = await objects.run()
const S3 = {
  S3_ENDPOINT: `http://127.0.0.1:${s3Port}`,
  S3_ACCESS_KEY_ID: 'S3RVER',
  S3_SECRET_ACCESS_KEY: 'S3RVER',
}

after(async () => {
  bridge.close()
  await objects.close()
  await rm(folder, { recursive: true, force: true })
})

const HERE = { DATABASE_URL: urlOf(connection.database), DATA_DIR: ctx.config.dataDir, APP_SECRET: SECRET }
const there = (name: string) => ({ DATA_DIR: join(folder, name) })

async function kith(
  env: Record<string, string>,
  ...args: string[]
): Promise<{ code: number | null; output: string }> {
  const base = { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE }
  const child = spawn(process.execPath, ['src/cli.ts', ...args], {
    env: { ...base, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, output }
}

const contentOf = async (path: string, passphrase?: string) => {
  const { head, end } = await verifyBackup({ read: openBackupPlace(path, ctx.config.s3).read, passphrase })
  const { 'public.backup_runs': _runs, ...rows } = end.rows
  return { head, end, rows }
}

async function upload(token: string, bytes: Buffer): Promise<number> {
  const form = new FormData()
  form.append('file', new Blob([new Uint8Array(bytes)]), 'a.png')
  const encoded = new Response(form)
  const sent = await app.inject({
    method: 'POST',
    url: '/api/v2/files',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': encoded.headers.get('content-type') ?? '',
    },
    payload: Buffer.from(await encoded.arrayBuffer()),
  })
  assert.equal(sent.statusCode, 201, sent.body)
  return sent.json().id
}

const file = join(folder, 'site.backup')
const people = await Promise.all(Array.from({ length: 8 }, () => person()))
const [first, second] = people as [(typeof people)[0], (typeof people)[0]]
let mark = 0
const post = async (author = first) => {
  mark += 1
  const body = {
    feed_content: `线上 ${mark}\t\\N "quoted"\n🎈`,
    feed_from: 1,
    feed_mark: Date.now() * 1000 + mark,
  }
  const answer = await as(author, 'POST', '/feeds', body)
  assert.equal(answer.status, 201, JSON.stringify(answer.body))
  return answer.body.id as number
}
const picture = await upload(first.token, await flatPicture(40, 30).png().toBuffer())

test('checks a backup in a database of its own', async () => {
  const path = join(folder, 'checked.backup')
  const made = await kith({ ...HERE, BACKUP_PASSPHRASE: 'a phrase of the tests' }, 'backup', path)
  assert.equal(made.code, 0, made.output)
  const TMPDIR = join(folder, 'tmp')
  await mkdir(TMPDIR)
  await chmod(TMPDIR, 0o711)
  const users = await sql`select count(*)::int as count from users`
  const check = (env: Record<string, string>) =>
    kith({ ...HERE, TMPDIR, STORAGE: 'local', ...env }, 'backup', '--check', path)
  const checked = await check({ BACKUP_PASSPHRASE: 'a phrase of the tests' })
  assert.equal(checked.code, 0, checked.output)
  assert.match(checked.output, /is complete: [\s\S]*✓ user_counts[\s\S]*No faults found\.\n$/)
  assert.deepEqual(await readdir(TMPDIR), [])
  assert.deepEqual(await sql`select count(*)::int as count from users`, users)
  const bytes = await readFile(path)
  await writeFile(path, bytes.subarray(0, -1000))
  const cut = await check({ BACKUP_PASSPHRASE: 'a phrase of the tests' })
  assert.equal(cut.code, 1, cut.output)
  assert.equal((await check({ BACKUP_PASSPHRASE: 'another phrase' })).code, 1)
  assert.deepEqual(await readdir(TMPDIR), [])
})

test('restores a backup made during writes', async () => {
  for (const each of people) await as(each, 'PUT', `/user/followings/${first.id}`)
  for (let i = 0; i < 30; i += 1) await post(people[i % people.length])
  const writing = { isOver: false, count: 0 }
  const writers = people.slice(0, 4).map(async (each, index) => {
    while (!writing.isOver) {
      const feed = await post(each)
      await as(second, 'POST', `/feeds/${feed}/like`)
      if (index === 0)
        await upload(
          each.token,
          await flatPicture(20 + (writing.count % 50), 30)
            .png()
            .toBuffer(),
        )
      writing.count += 1
    }
  })
  const made = await kith(HERE, 'backup', file)
  writing.isOver = true
  await Promise.all(writers)
  assert.equal(made.code, 0, made.output)
  assert.match(made.output, /Wrote \d+ rows and \d+ files .* \(\d+ bytes\)\.\nIt contains the secret/)
  assert.ok(writing.count > 0)
  assert.equal((await stat(file)).mode & 0o777, 0o600)
  assert.deepEqual(await readdir(folder).then((names) => names.filter((name) => name.endsWith('.part'))), [])
  assert.equal((await findBackupState(sql)).bytes, (await stat(file)).size)

  const embedded = await kith(there('embedded'), 'restore', file)
  assert.equal(embedded.code, 0, embedded.output)
  assert.match(
    embedded.output,
    /is complete: [\s\S]*✓ user_counts\.followers_count[\s\S]*No faults found\.\n$/,
  )
  assert.equal((await readFile(join(folder, 'embedded', 'app-secret'), 'utf8')).trim(), SECRET)

  const port = await findFreePort()
  const server = spawn(process.execPath, ['src/main.ts'], {
    env: { PATH: process.env.PATH, PORT: String(port), ...there('embedded') },
    stdio: 'ignore',
  })
  const stopped = once(server, 'exit')
  await waitForAnswer(`http://127.0.0.1:${port}/health/ready`)
  const headers = { authorization: `Bearer ${first.token}`, 'content-type': 'application/json' }
  const me = await fetch(`http://127.0.0.1:${port}/api/v2/user`, { headers })
  assert.equal(((await me.json()) as { id: number }).id, first.id)
  const shown = await fetch(`http://127.0.0.1:${port}/api/v2/files/${picture}`, { headers })
  assert.equal(shown.headers.get('content-type'), 'image/png')
  const added = await fetch(`http://127.0.0.1:${port}/api/v2/feeds`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ feed_content: 'after', feed_from: 1, feed_mark: Date.now() * 1000 }),
  })
  assert.equal(added.status, 201)
  const refused = await kith(there('embedded'), 'restore', file, '--force')
  assert.match(refused.output, /another server \(process \d+\) already uses the database/)
  server.kill('SIGTERM')
  await stopped

  const before = await contentOf(file)
  const again = join(folder, 'embedded.backup')
  assert.equal((await kith(there('embedded'), 'backup', again)).code, 0)
  const after_ = await contentOf(again)
  assert.equal(after_.rows['public.feeds'], (before.rows['public.feeds'] ?? 0) + 1)
  assert.equal(after_.rows['public.users'], (before.rows['public.users'] ?? 0) + 1)
  for (const table of ['public.follows', 'public.ledger_postings', 'public.files', 'public.comments'])
    assert.equal(after_.rows[table], before.rows[table], table)

  const name = `kith_restored_${process.pid}`
  await sql.unsafe(`create database ${name}`)
  const outside = { DATABASE_URL: urlOf(name), ...there('outside') }
  const external = await kith(outside, 'restore', again)
  assert.equal(external.code, 0, external.output)
  const third = join(folder, 'outside.backup')
  assert.equal((await kith(outside, 'backup', third)).code, 0)
  assert.deepEqual((await contentOf(third)).rows, after_.rows)
  assert.deepEqual((await contentOf(third)).end.files, after_.end.files)

  const full = await kith(outside, 'restore', again)
  assert.equal(full.code, 1)
  assert.match(full.output, /not empty/)
  const forced = await kith({ ...outside, DATA_DIR: join(folder, 'forced') }, 'restore', file, '--force')
  assert.equal(forced.code, 0, forced.output)
})

test('skips a table of the backup that Kith does not have when it restores the backup', async () => {
  await sql.unsafe('create table operator_notes (id bigserial primary key, note text)')
  await sql.unsafe(`insert into operator_notes (note) values ('one'), ('two')`)
  const path = join(folder, 'added.backup')
  assert.equal((await kith(HERE, 'backup', path)).code, 0)
  await sql.unsafe('drop table operator_notes')
  const restored = await kith(there('added'), 'restore', path)
  assert.equal(restored.code, 0, restored.output)
  assert.match(restored.output, /Skipped public\.operator_notes \(2 rows\)/)
})

test('creates no data directory when `kith restore` rejects a backup', async () => {
  const damaged = join(folder, 'damaged.backup')
  const bytes = await readFile(file)
  // Damages a picture, because changed padding bytes of the archive have no effect.
  const at = bytes.indexOf('IDAT')
  assert.ok(at > 0)
  bytes[at] = (bytes[at] ?? 0) ^ 1
  await writeFile(damaged, bytes)
  const cut = join(folder, 'cut.backup')
  await writeFile(cut, await readFile(file))
  await truncate(cut, Math.floor(bytes.length / 1024) * 512)
  const foreign = join(folder, 'foreign.backup')
  await writeFile(foreign, 'nothing of the kind'.repeat(100))
  const sealed = join(folder, 'sealed.backup')
  const passphrase = 'correct horse battery'
  const made = await kith({ ...HERE, BACKUP_PASSPHRASE: passphrase }, 'backup', sealed)
  assert.equal(made.code, 0, made.output)
  assert.doesNotMatch(made.output, /without encryption/)
  assert.ok(!(await readFile(sealed)).includes(SECRET))
  assert.ok((await contentOf(sealed, passphrase)).end.files > 0)
  const broken = join(folder, 'broken.backup')
  const closed = await readFile(sealed)
  closed[closed.length - 100] = (closed.at(-100) ?? 0) ^ 1
  await writeFile(broken, closed)
  for (const [path, env, told] of [
    [damaged, {}, /damaged/],
    [cut, {}, /truncated/],
    [foreign, {}, /not a backup/],
    [sealed, {}, /sealed: set BACKUP_PASSPHRASE/],
    [sealed, { BACKUP_PASSPHRASE: 'another passphrase' }, /not the passphrase of the backup/],
    [broken, { BACKUP_PASSPHRASE: passphrase }, /damaged/],
    [join(folder, 'nowhere'), {}, /no such backup/],
    [file, { APP_SECRET: 'another secret, long enough' }, /APP_SECRET differs from the secret of the backup/],
  ] as const) {
    const { code, output } = await kith({ ...there('never'), ...env }, 'restore', path)
    assert.equal(code, 1, output)
    assert.match(output, told)
    assert.doesNotMatch(output, /\n {4}at /)
    assert.equal(existsSync(join(folder, 'never')), false)
  }
  const twice = await kith(HERE, 'backup', file)
  assert.match(twice.output, /already exists/)
})

test('keeps only the BACKUP_KEEP newest scheduled backups', async () => {
  const local = join(folder, 'scheduled')
  for (const to of [local, 's3://backups/site']) {
    const config = readConfig({ ...HERE, ...S3, BACKUP_TO: to, BACKUP_KEEP: '2', BACKUP_AT: '5 4 * * *' })
    assert.deepEqual(backupSchedules(config), [{ task: 'scheduled_backup ?max=3', pattern: '5 4 * * *' }])
    const task = backupTasks({ ...ctx, config }, connection).scheduled_backup
    const run = () => task?.({}, { abortSignal: new AbortController().signal } as never)
    for (const name of ['kith-20200101T000000Z.backup', 'kith-20210101T000000Z.backup', 'notes.txt']) {
      const place = openBackupPlace(backupPath(to, name), config.s3)
      await place.write(
        (async function* () {
          yield Buffer.from('old')
        })(),
      )
    }
    await run()
    const names = (
      to === local
        ? await readdir(local)
        : (await readdir(join(directory, 'backups', 'site'))).map((name) => name.split('._S3rver')[0] ?? '')
    ).filter((name, index, all) => all.indexOf(name) === index)
    assert.equal(names.length, 3, names.join())
    assert.ok(names.includes('notes.txt') && names.includes('kith-20210101T000000Z.backup'))
    const made = names.find((name) => name.startsWith('kith-20') && !name.startsWith('kith-2021')) ?? ''
    const { read } = openBackupPlace(backupPath(to, made), config.s3)
    assert.ok((await verifyBackup({ read, passphrase: undefined })).end.files > 0)
  }
  assert.deepEqual(backupSchedules(readConfig(HERE)), [])
  const config = readConfig({ ...HERE, BACKUP_TO: join(file, 'below-a-file') })
  await assert.rejects(
    Promise.resolve(
      backupTasks({ ...ctx, config }, connection).scheduled_backup?.({}, {
        abortSignal: new AbortController().signal,
      } as never),
    ),
  )
  const [failed] = await sql`select fault from backup_runs where fault is not null`
  assert.ok(failed)
})

test('writes an unencrypted backup that tar and sha256sum can verify', async () => {
  const unpacked = join(folder, 'unpacked')
  await mkdir(unpacked)
  const tool = spawn('bash', ['-euc', `tar xf ${file} && cat checksums/* | sha256sum --quiet -c -`], {
    cwd: unpacked,
  })
  const [code] = (await once(tool, 'close')) as [number | null]
  assert.equal(code, 0)
})

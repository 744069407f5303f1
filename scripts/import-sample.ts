/**
 * Imports a sample of a real ThinkSNS+ database and checks the result: `npm run dev -- import:sample [DIR]`.
 * Needs mariadb-server.
 */
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { startMariaDb } from '#test/fixtures/mariadb.ts'
import { findFreePort, waitForAnswer } from '#test/servers.ts'

const given = resolve(process.argv[2] ?? join(import.meta.dirname, '../../shared/migration'))
if (!existsSync(join(given, 'sample-dump.sql.gz'))) {
  console.error(`There is no sample in ${given}: name the folder that holds sample-dump.sql.gz.`)
  process.exit(1)
}
const PASSWORD = 'correct-horse-9'
const folder = await mkdtemp(join(tmpdir(), 'kith-sample-'))
const files = join(folder, 'files')
const program = join(import.meta.dirname, '../src/cli.ts')
const port = await findFreePort()
const url = `http://127.0.0.1:${port}`
const env = {
  ...process.env,
  DATA_DIR: join(folder, 'kith'),
  PORT: String(port),
  RATE_LIMIT_ANONYMOUS: '0',
  RATE_LIMIT_USER: '0',
  RATE_LIMIT_SENSITIVE: '0',
  LOG_LEVEL: 'warn',
}
const say = (text: string) => process.stdout.write(`${text}\n`)
const kith = (...more: string[]) =>
  execFileSync(process.execPath, [program, ...more], {
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })

type Line = { table?: string; row?: string; column?: string; reason?: string }
type Feed = {
  id: number
  feed_content: string | null
  images: { file: number }[]
  topics: { id: number }[]
  comments: { id: number; pinned?: boolean }[]
}
const get = async (path: string, token?: string) => {
  const answer = await fetch(`${url}${path}`, token ? { headers: { authorization: `Bearer ${token}` } } : {})
  assert.equal(answer.status, 200, `${path}: ${answer.status}`)
  return answer
}
const signIn = (login: string, password: string) =>
  fetch(`${url}/api/v2/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ login, password }),
  })

const sourceFolder = join(folder, 'source')
await mkdir(sourceFolder)
const maria = await startMariaDb({ dir: sourceFolder })
let server: ReturnType<typeof spawn> | undefined
try {
  await maria.run(undefined, 'create database sample')
  const address = maria.address('sample')
  const { port: sourcePort } = new URL(address)
  execFileSync('sh', [
    '-c',
    'gzip -dc "$1" | mariadb --no-defaults --protocol=tcp -h 127.0.0.1 -P "$2" -u root sample',
    'sh',
    join(given, 'sample-dump.sql.gz'),
    sourcePort,
  ])
  // Two users have the same phone number in two spellings. Only the first user keeps the number.
  await maria.run('sample', "update users set phone = '13900000001' where id = 5")
  await maria.run('sample', "update users set phone = '+86 139 0000 0001' where id = 7")
  await maria.run('sample', 'insert into feed_topic_links (topic_id, feed_id) values (1, 1)')
  await maria.run(
    'sample',
    `insert into file_withs (file_id, user_id, channel, raw, size, created_at, updated_at)
     select file_id, 9, 'feed:image', 1010, size, created_at, updated_at from file_withs where id = 137`,
  )
  await mkdir(files)
  execFileSync('tar', ['xzf', join(given, 'sample-files.tgz'), '-C', files])
  const command = ['import', 'thinksns', '--database', address, '--files', files, '--time-zone', 'UTC']
  const astray = [...command.slice(0, -1), 'Mars/Olympus']
  assert.throws(() => kith(...astray), /Command failed/)
  assert.ok(!existsSync(env.DATA_DIR), 'a wrong zone is told before the database starts')
  const report = join(folder, 'report.jsonl')
  say(kith(...command, '--report', report))
  const twice = kith(...command)
  assert.match(twice, /^Administrators who can sign in: .*root/m)
  const lines: Line[] = (await readFile(report, 'utf8'))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  const changes = lines.filter(({ column }) => column !== undefined)
  assert.ok(changes.length > 0)
  for (const line of changes) assert.ok('old' in line && 'new' in line, JSON.stringify(line))
  const phones = changes.filter(({ table, column }) => table === 'users' && column === 'phone')
  assert.deepEqual(
    phones.filter(({ row }) => row === '5' || row === '7').map(({ row }) => row),
    ['7'],
  )
  const locked = lines.filter(({ table }) => table === 'locked people')
  assert.ok(!locked.some(({ row }) => row === '1'), 'the founder is not locked')
  assert.ok(locked.some(({ row, reason }) => row === '102' && reason === 'locked: deleted in the source'))
  say(`${changes.length} changed values are in the report, and ${locked.length} locked or restricted people`)
  for (const [currency, statement] of [
    ['points', 'select cast(sum(`sum`) as char) as n from currencies where type = 1'],
    ['wallet', 'select cast(sum(balance) as char) as n from wallet'],
  ] as const) {
    const [row] = await maria.run('sample', statement)
    const sum = Number(row?.n).toLocaleString('en')
    assert.match(twice, new RegExp(`^${currency} +${sum} +0 +${sum} +0 +${sum} `, 'm'))
  }
  assert.match(twice, /^all /m)
  say(kith('doctor').replace(/^✓.*\n/gm, '') || 'kith doctor finds nothing wrong, after two runs')

  server = spawn(process.execPath, [join(import.meta.dirname, '../src/main.ts')], { env, stdio: 'inherit' })
  await waitForAnswer(`${url}/health/ready`)
  for (const [login, password] of [
    ['user5', PASSWORD],
    ['user5', PASSWORD],
    ['13900000001', PASSWORD],
    ['root', 'root'],
    ['user7@example.org', PASSWORD],
  ] as const)
    assert.equal((await signIn(login, password)).status, 200, login)
  assert.equal((await signIn('user5', 'another one')).status, 422)
  assert.equal((await signIn('disabled', PASSWORD)).status, 200)
  assert.equal((await signIn('nopassword', PASSWORD)).status, 422)
  say('old passwords sign in, once and again')

  const { access_token: token } = (await (await signIn('user5', PASSWORD)).json()) as { access_token: string }
  const uses = await maria.run(
    'sample',
    `select w.id, f.filename from file_withs w join files f on f.id = w.file_id
     where f.id > 120 and coalesce(w.channel, '') <> 'certification:file'`,
  )
  for (const { id, filename } of uses) {
    const bytes = await (await get(`/api/v2/files/${id}`, token)).arrayBuffer()
    assert.ok(bytes.byteLength > 0, `file ${id}`)
    await get(`/storage/${filename}`, token)
  }
  const [shared] = await maria.run('sample', 'select filename from files where id = 137')
  await get(`/storage/${shared?.filename}`)
  assert.equal((await fetch(`${url}/api/v2/files/137`)).status, 404, 'the certification stays private')
  const pictures = await maria.run(
    'sample',
    `select distinct f.filename from news n join file_withs w on w.id = n.storage join files f on f.id = w.file_id
     where f.id > 120 and n.audit_status = 0 and n.deleted_at is null`,
  )
  for (const { filename } of pictures) await get(`/storage/${filename}`)
  const nodes = await maria.run(
    'sample',
    'select avatar as node from users where avatar is not null union select logo from feed_topics where logo like "public:%"',
  )
  for (const { node } of nodes) {
    const path = String(node).slice('public:'.length)
    await get(`/storage/public:${Buffer.from(path).toString('base64')}`)
    await get(`/storage/${path}`)
  }
  say(`${uses.length} uploads and ${nodes.length} nodes are shown at their old addresses`)

  const there = await maria.run(
    'sample',
    `select id, feed_content, (select count(*) from file_withs w where w.channel = 'feed:image' and w.raw = f.id) as images
     from feeds f where deleted_at is null and audit_status = 1 order by id desc`,
  )
  const here: Feed[] = []
  for (let after = 0; ; after = here.at(-1)?.id ?? 0) {
    const page = (await (await get(`/api/v2/feeds?limit=100&after=${after}`)).json()) as { feeds: Feed[] }
    if (page.feeds.length === 0) break
    here.push(...page.feeds)
  }
  assert.deepEqual(
    here.map(({ id, images }) => [id, images.length]),
    there.map(({ id, images }) => [id, Number(images)]),
  )
  const texts = new Map(there.map(({ id, feed_content }) => [id, feed_content]))
  for (const { id, feed_content: text } of here) {
    const old = String(texts.get(id) ?? '')
    assert.ok(old.startsWith(text ?? ''), `feed ${id}`)
  }
  const links = await maria.run(
    'sample',
    `select l.feed_id, l.topic_id from feed_topic_links l join feed_topics t on t.id = l.topic_id
     where t.status = 'passed' group by l.feed_id, l.topic_id order by min(l.\`index\`)`,
  )
  const linksOf = Map.groupBy(links, ({ feed_id: feed }) => feed)
  for (const { id, topics, comments } of here) {
    const expected = (linksOf.get(id) ?? []).map(({ topic_id: topic }) => topic)
    const found = topics.map((topic) => topic.id)
    assert.deepEqual(found, expected, `topics of feed ${id}`)
    const newest = comments.filter(({ pinned }) => !pinned).map((comment) => comment.id)
    const sorted = newest.toSorted((a, b) => b - a)
    assert.deepEqual(newest, sorted, `comments of feed ${id}`)
  }
  assert.ok(here.some(({ topics }) => topics.length > 1 && (topics[0]?.id ?? 0) > (topics[1]?.id ?? 0)))
  assert.ok(here.some(({ comments }) => comments.length > 1))
  say(`the list of ${here.length} feeds is that of the source, with the order of topics and comments`)

  const newest = (await (await get('/api/v2/user/latests?limit=50')).json()) as { created_at: string }[]
  assert.deepEqual(
    newest.map(({ created_at: at }) => at),
    newest.map(({ created_at: at }) => at).toSorted((a, b) => b.localeCompare(a)),
  )
  assert.equal((await fetch(`${url}/api/v2/users/102`)).status, 404)
} finally {
  if (server && server.exitCode === null) {
    const ended = once(server, 'exit')
    server.kill('SIGTERM')
    await ended
  }
  await maria.stop()
  await rm(folder, { recursive: true, force: true })
}

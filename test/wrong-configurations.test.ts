import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import S3rver from 's3rver'
import { testBackupPlace } from '#backup/check.ts'
import { checkMail, mailFault } from '#modules/mail/mail-probe.ts'
import { checkHealth, readHealth } from '#modules/statistics/health/service.ts'
import { readConfig } from '#platform/config'
import type { Context } from '#platform/context.ts'
import { createSecrets } from '#platform/crypto.ts'
import { createS3Storage } from '#platform/files'
import { CATALOGUE, describeFault, HealthFault } from '#platform/health'
import { checkDatabase } from '#startup/start-checks.ts'
import { openMachine } from '#test/fixtures/machines.ts'
import { mailServer } from '#test/fixtures/mail-server.ts'
import { redisServer, silentServer, webServer } from '#test/fixtures/wrong-servers.ts'
import { findFreePort } from '#test/servers.ts'
import { createWorld } from '#test/world.ts'
import { reportBackups, reportChannels } from '../src/doctor.ts'
import { certificateFault } from '../src/probes/address.ts'
import { checkNewestBackup } from '../src/probes/backup-check.ts'
import { roomFault } from '../src/probes/services.ts'
import { SITE } from '../src/site.ts'

const PAGE = new URL('../docs/troubleshooting.md', import.meta.url)
const BEGIN = '<!-- begin of the table that test/wrong-configurations.test.ts writes -->\n'
const END = '<!-- end of the table -->\n'

const { app, ctx, sql, connection } = await createWorld()
const folder = await mkdtemp(join(tmpdir(), 'kith-wrong-'))
after(() => rm(folder, { recursive: true, force: true }))

/** Rows of the table: what is configured, and what the start or the doctor and the console say. */
const rows: { configured: string; start: string; check: string }[] = []

async function sentenceOf(work: () => unknown): Promise<string> {
  try {
    await work()
  } catch (error) {
    return (error as Error).message
  }
  throw new Error('accepted')
}

/** Replaces the ports and folders of this run by those of an example. */
function shownIn(text: string, shown: Record<string, string>): string {
  let result = text.replaceAll(folder, '/srv/kith')
  for (const [real, example] of Object.entries(shown)) result = result.replaceAll(real, example)
  return result
}

async function refusesStart(configured: string, env: Record<string, string>): Promise<void> {
  const start = await sentenceOf(() => readConfig(env))
  const [name = ''] = Object.keys(env)
  assert.ok(start.startsWith(name.replace(/_FILE$/, '')) || start.includes(name), `${configured}: ${start}`)
  rows.push({ configured, start: shownIn(start, {}), check: '' })
}

/** Holds the sentence of the doctor against that of the console, in both languages. */
async function isNamed(
  configured: string,
  part: string,
  code: string,
  change: Partial<Context>,
  shown: Record<string, string> = {},
): Promise<void> {
  const changed = { ...ctx, state: new Map(), ...change }
  const probes = SITE.probes.filter((probe) => probe.part === part)
  const lines: string[] = []
  const isWell = await reportChannels(changed, { probes, print: (line) => lines.push(line) })
  await checkHealth(changed, probes)
  const { parts } = await readHealth(changed, probes)
  const told = parts.find(({ name }) => name === part)
  assert.equal(told?.code, code, `${configured}: ${lines.join(' ')}`)
  assert.equal(isWell, told.state === 'warning')
  assert.deepEqual(lines, [`${isWell ? '!' : '✗'} ${part}: ${told.sentence?.en}`, `    ${told.remedy?.en}`])
  for (const { en, zh } of [told.sentence, told.remedy].filter((text) => text !== null)) {
    assert.doesNotMatch(en + zh, /[{}]|undefined|secret/)
    assert.match(zh, /\p{Script=Han}/u)
  }
  rows.push({
    configured,
    start: '',
    check: shownIn(`${part}: ${told.sentence?.en} ${told.remedy?.en}`, shown),
  })
}

/** Adds a fault whose cause this machine cannot have. */
function isDescribed(configured: string, part: string, fault: HealthFault | undefined, code: string): void {
  assert.equal(fault?.code, code)
  const { sentence, remedy } = describeFault(code, fault.details) ?? assert.fail(code)
  rows.push({ configured, start: '', check: `${part}: ${sentence.en} ${remedy.en}` })
}

const mailPort = async (replies?: Record<string, string>) =>
  new URL((await mailServer({ after }, replies)).url).port

const configOf = (env: Record<string, string>) => ({ config: readConfig({ DATA_DIR: folder, ...env }) })

test('refuses to start with settings that cannot be meant', async () => {
  await writeFile(join(folder, 'smtp-url'), '\n')
  const site = 'https://social.example.org'
  for (const [configured, env] of [
    ['`PORT=eighty`', { PORT: 'eighty' }],
    ['`PUBLIC_URL` with a path', { PUBLIC_URL: `${site}/kith` }],
    ['`PUBLIC_URL` with a query', { PUBLIC_URL: `${site}/?from=mail` }],
    ['`PUBLIC_URL` with a password', { PUBLIC_URL: 'https://jo:secret@social.example.org' }],
    ['`PUBLIC_URL` without a scheme', { PUBLIC_URL: 'social.example.org' }],
    ['`TRUST_PROXY=0.0.0.0/0`', { TRUST_PROXY: '0.0.0.0/0' }],
    ['`TRUST_PROXY=true`', { TRUST_PROXY: 'true' }],
    ['a misspelt name', { SMTP_URI: 'smtp://mail.example.org' }],
    ['a secret whose file is empty', { SMTP_URL_FILE: join(folder, 'smtp-url') }],
    ['a secret whose file is missing', { DATABASE_URL_FILE: join(folder, 'database-url') }],
    ['`DATABASE_URL` of MySQL', { DATABASE_URL: 'mysql://kith@db.example.org/kith' }],
    ['`DATABASE_URL` with `#` in the password', { DATABASE_URL: 'postgres://kith:a#b@db.example.org/kith' }],
    ['two hosts in `DATABASE_URL`', { DATABASE_URL: 'postgres://kith@one,two/kith' }],
    ['`DATABASE_DIRECT_URL` alone', { DATABASE_DIRECT_URL: 'postgres://kith@db.example.org/kith' }],
    ['`APP_SECRET` of eight characters', { APP_SECRET: 'too-short' }],
    ['`BACKUP_TO=ftp://nas/kith`', { BACKUP_TO: 'ftp://nas/kith' }],
    ['`IM_PROVIDER=jabber`', { IM_PROVIDER: 'jabber' }],
    ['`BACKUP_AT=daily`', { BACKUP_AT: 'daily' }],
    ['`BACKUP_AT` on 30 February', { BACKUP_AT: '0 3 30 2 *' }],
    ['`MAIL_FROM` without an address', { MAIL_FROM: 'Riverside' }],
    ['`SITE_NAME` of two lines', { SITE_NAME: 'River\nside' }],
    ['`SMTP_URL` without a host', { SMTP_URL: 'smtp://' }],
    ['`REDIS_URL` without a host', { REDIS_URL: 'redis://' }],
    ['`SITE_NAME="Riverside"` with the quotes', { SITE_NAME: '"Riverside"' }],
    ['`DATA_DIR=~/kith` outside a shell', { DATA_DIR: '~/kith' }],
    ['`BACKUP_TO` in the folder of uploads', { BACKUP_TO: 'data/uploads/backups', DATA_DIR: 'data' }],
    ['`METRICS_PORT` equal to `PORT`', { METRICS_PORT: '8080' }],
    ['`PUBLIC_URL` of all addresses', { PUBLIC_URL: 'http://0.0.0.0:8080' }],
    ['an unknown part in `PUBLIC_WEB_URL`', { PUBLIC_WEB_URL: 'https://app.example.org/{typ}/{id}' }],
    ['`S3_BUCKET=s3://kith`', { S3_BUCKET: 's3://kith', STORAGE: 'local' }],
    ['`S3_BUCKET` without `STORAGE`', { S3_BUCKET: 'kith' }],
    ['`IM_EJABBERD_URL` without `IM_PROVIDER`', { IM_EJABBERD_URL: 'http://chat.example.org:5280/api' }],
    ['`PUSH_SECRET` without `PUSH_URL`', { PUSH_SECRET: 'a secret of the gateway' }],
    ['`PUBLIC_URL` of https with port 80', { PUBLIC_URL: `${site}:80` }],
    ['`SMTP_URL` with a user but no password', { SMTP_URL: 'smtp://kith@mail.example.org' }],
    ['`REDIS_URL` with the name of a database', { REDIS_URL: 'redis://redis.example.org/kith' }],
    ['a name in lower case', { public_url: site }],
    ['an origin with a path', { CORS_ORIGINS: `${site}/app` }],
  ] as [string, Record<string, string>][])
    await refusesStart(configured, env)
  const keys = { S3_ACCESS_KEY_ID: 'key', S3_SECRET_ACCESS_KEY: 'secret' }
  await refusesStart('`STORAGE=s3` without a bucket', { S3_BUCKET: '', STORAGE: 's3', ...keys })
  await refusesStart('a bucket in `BACKUP_TO` without a key', {
    S3_ACCESS_KEY_ID: '',
    S3_SECRET_ACCESS_KEY: 'secret',
    BACKUP_TO: 's3://kith/backups',
  })
})

test('refuses to start without its database', async () => {
  const port = await findFreePort()
  const { address } = await openMachine(connection)
  for (const [configured, url, shown] of [
    ['a closed port in `DATABASE_URL`', `postgres://kith@127.0.0.1:${port}/kith`, `127.0.0.1:${port}`],
    ['a missing database', `postgres://${connection.user}@${address}/kith_absent`, address],
  ] as const) {
    const start = await sentenceOf(() => checkDatabase(url))
    assert.match(start, /^DATABASE_URL: /)
    rows.push({ configured, start: shownIn(start, { [shown]: 'db.example.org:5432' }), check: '' })
  }
})

test('names the fault of the mail server', async () => {
  const shown = (port: number | string) => ({ [`127.0.0.1:${port}`]: 'mail.example.org:587' })
  const absent = 'smtp://mail.exmaple.org'
  const lost = Object.assign(new Error('getaddrinfo ENOTFOUND mail.exmaple.org'), { code: 'EDNS' })
  isDescribed(
    'a misspelt host in `SMTP_URL`',
    'mail',
    mailFault(lost, { url: absent, sender: 'kith@social.example.org' }),
    'host_unknown',
  )
  const cases: [string, string, number | string, string][] = [
    ['a closed port in `SMTP_URL`', 'port_closed', await findFreePort(), 'smtp://'],
    ['`smtps://` to a port without TLS', 'tls_mismatch', await mailPort(), 'smtps://'],
    [
      'a wrong password in `SMTP_URL`',
      'mail_password',
      await mailPort({ AUTH: '535 5.7.8 no' }),
      'smtp://kith:a-secret@',
    ],
    [
      'a sender that the mail server refuses',
      'mail_sender',
      await mailPort({ MAIL: '553 5.7.1 not yours' }),
      'smtp://',
    ],
  ]
  for (const [configured, code, port, scheme] of cases)
    await isNamed(
      configured,
      'mail',
      code,
      configOf({ SMTP_URL: `${scheme}127.0.0.1:${port}`, MAIL_FROM: 'Kith <kith@social.example.org>' }),
      shown(port),
    )
  const port = await silentServer()
  const url = `smtp://127.0.0.1:${port}`
  const fault = await checkMail(url, undefined, '', 500).then(
    () => undefined,
    (error) => error as HealthFault,
  )
  assert.equal(fault?.code, 'mail_needs_tls')
  const example = new HealthFault('mail_needs_tls', { address: 'mail.example.org:465' })
  isDescribed('`smtp://` to a port that expects TLS', 'mail', example, 'mail_needs_tls')
  await checkMail(
    `smtp://kith:x@127.0.0.1:${await mailPort({ AUTH: '235 ok' })}`,
    'kith@social.example.org',
    '',
  )
})

test('names the fault of the object store, of uploads and of backups', async () => {
  const directory = join(folder, 's3')
  await mkdir(directory)
  await writeFile(join(folder, 'file'), '')
  const store = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory,
    configureBuckets: [{ name: 'kith', configs: [] }],
  })
  const { port } = await store.run()
  after(() => store.close())
  const closed = await findFreePort()
  const base = {
    STORAGE: 's3',
    S3_ENDPOINT: `http://127.0.0.1:${port}`,
    S3_BUCKET: 'kith',
    S3_ACCESS_KEY_ID: 'S3RVER',
    S3_SECRET_ACCESS_KEY: 'S3RVER',
  }
  for (const [configured, code, env] of [
    ['a missing bucket in `S3_BUCKET`', 'bucket_missing', { S3_BUCKET: 'absent' }],
    ['a wrong `S3_ACCESS_KEY_ID`', 'bucket_key', { S3_ACCESS_KEY_ID: 'another' }],
    ['a closed port in `S3_ENDPOINT`', 'port_closed', { S3_ENDPOINT: `http://127.0.0.1:${closed}` }],
  ] as const) {
    const { config } = configOf({ ...base, ...env })
    await isNamed(
      configured,
      'uploads',
      code,
      { config, storage: createS3Storage(config.s3) },
      {
        [`127.0.0.1:${port}`]: 's3.example.org:443',
        [`127.0.0.1:${closed}`]: 's3.example.org:443',
      },
    )
  }
  const shown = {
    [`127.0.0.1:${port}`]: 's3.example.org:443',
    [`127.0.0.1:${closed}`]: 's3.example.org:443',
  }
  const bucket = 's3://kith/backups'
  for (const [configured, code, env] of [
    ['a missing bucket in `BACKUP_TO`', 'bucket_missing', { BACKUP_TO: 's3://absent/kith' }],
    [
      'a wrong key for `BACKUP_TO=s3://kith/backups`',
      'bucket_key',
      { BACKUP_TO: bucket, S3_ACCESS_KEY_ID: 'another' },
    ],
    [
      'a closed port for `BACKUP_TO=s3://kith/backups`',
      'port_closed',
      { BACKUP_TO: bucket, S3_ENDPOINT: `http://127.0.0.1:${closed}` },
    ],
    ['a file in `BACKUP_TO`', 'disk_no_folder', { BACKUP_TO: join(folder, 'file') }],
  ] as const) {
    const { config } = configOf({ ...base, ...env })
    await isNamed(configured, 'backup_place', code, { config }, shown)
    assert.equal((await testBackupPlace({ s3: config.s3, backupTo: env.BACKUP_TO }))?.code, code, configured)
  }
  isDescribed('a disk that is almost full', 'disk', roomFault('/srv/kith', 900_000_000), 'disk_low')
  isDescribed('a full disk', 'disk', roomFault('/srv/kith', 1_000_000), 'disk_full')
  assert.equal(roomFault('/srv/kith', 2_000_000_000), undefined)
})

test('names the fault of Redis', async () => {
  const refusing = await redisServer({ other: '-NOAUTH Authentication required.' })
  const replica = await redisServer({
    info: '$13\r\nredis_version',
    set: "-READONLY You can't write against a read only replica.",
  })
  const closed = await findFreePort()
  for (const [configured, code, port] of [
    ['a closed port in `REDIS_URL`', 'port_closed', closed],
    ['a missing password in `REDIS_URL`', 'redis_password', refusing],
    ['a replica in `REDIS_URL`', 'redis_read_only', replica],
  ] as const)
    await isNamed(configured, 'redis', code, configOf({ REDIS_URL: `redis://127.0.0.1:${port}` }), {
      [`127.0.0.1:${port}`]: 'redis.example.org:6379',
    })
})

test('names the fault of the address of the site', async () => {
  const other = await webServer((_request, response) => response.end('{"status":"ok"}'))
  const broken = await webServer((_request, response) => response.writeHead(502).end())
  const moved = await webServer((_request, response) =>
    response.writeHead(301, { location: 'https://www.social.example.org/health/live' }).end(),
  )
  for (const [configured, code, url] of [
    ['`PUBLIC_URL` of another site', 'address_other_site', other],
    ['a proxy without its server', 'address_status', broken],
    ['a redirect at `PUBLIC_URL`', 'address_redirects', moved],
  ] as const)
    await isNamed(configured, 'address', code, configOf({ PUBLIC_URL: url }), {
      [url]: 'https://social.example.org',
    })
  const small = await webServer(
    (_request, response) => response.end(),
    (_request, response) => response.writeHead(413).end(),
  )
  await isNamed(
    'a smaller upload limit at the proxy',
    'upload_limit',
    'proxy_limit',
    configOf({ PUBLIC_URL: small }),
    { [small]: 'https://social.example.org' },
  )
  const at = 'https://social.example.org'
  const now = Date.parse('2026-03-01')
  const ends = certificateFault(at, new Date('2026-03-05'), now)
  isDescribed('a certificate without renewal', 'certificate', ends, 'certificate_ends')
  assert.equal(certificateFault(at, new Date('2026-04-01'), now), undefined)
  assert.equal(certificateFault(at, new Date('2026-02-01'), now)?.code, 'certificate_expired')
})

test('accepts its own address, and refuses that of a site with another secret', async () => {
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const config = configOf({ PUBLIC_URL: url })
  const probes = SITE.probes.filter(({ part }) => part === 'address' || part === 'upload_limit')
  const lines: string[] = []
  const report = (changed: Partial<Context>) =>
    reportChannels({ ...ctx, ...config, ...changed }, { probes, print: (line) => lines.push(line) })
  assert.equal(await report({}), true, lines.join(' '))
  assert.deepEqual(lines.splice(0), ['✓ address answers', '✓ upload_limit'])
  assert.equal(await report({ secrets: createSecrets('another secret of the tests') }), false)
  assert.match(lines[0] ?? '', /answers, but not as this site/)
})

test('reports the weekly check of the newest backup', async () => {
  const place = join(folder, 'backups')
  const { config } = configOf({ BACKUP_TO: place, BACKUP_CHECK: 'weekly' })
  const result = (run: Parameters<typeof checkNewestBackup>[1]) =>
    checkNewestBackup({ config, sql }, run).then(
      () => 'good',
      ({ code, message }: HealthFault) => `${code}: ${message}`,
    )
  assert.match(await result(undefined), /^backup_missing/)
  await mkdir(place)
  const names = ['kith-20260301T033000Z.backup', 'kith-20260302T033000Z.backup', 'zz.backup']
  for (const name of names) await writeFile(join(place, name), '')
  const asked: string[] = []
  const run = (code: number) => async (path: string) => {
    asked.push(path)
    return { code, last: 'the backup ends early.' }
  }
  assert.equal(await result(run(0)), 'good')
  assert.deepEqual(asked, [join(place, names[1] ?? '')])
  assert.match(await result(run(1)), /^backup_unusable: .* cannot be restored: the backup ends early\.$/)
  assert.match(await result(undefined), /^backup_unusable: .*20260302T033000Z/)

  const weekly = SITE.probes.filter(({ isWeekly }) => isWeekly)
  const part = async () =>
    (await readHealth({ ...ctx, config }, weekly)).parts.find(({ name }) => name === 'backup_check')
  await checkHealth({ ...ctx, config }, weekly)
  assert.deepEqual([(await part())?.state, (await part())?.code], ['failing', 'backup_unusable'])
  await sql`
    update health_checks set fault = null, code = null, details = null, failing_since = null,
      checked_at = now() - interval '7 days' where part = 'backup_check'`
  assert.equal((await part())?.state, 'good')
  await sql`update health_checks set checked_at = now() - interval '9 days' where part = 'backup_check'`
  assert.deepEqual([(await part())?.state, (await part())?.code], ['warning', 'backup_unchecked'])
})

test('names settings of backups that are made nowhere', async () => {
  const changed = { ...ctx, ...configOf({ BACKUP_AT: '0 4 * * *', BACKUP_CHECK: 'weekly' }) }
  const lines: string[] = []
  assert.equal(await reportBackups(changed, (line) => lines.push(line)), true)
  const part = (await readHealth(changed, [])).parts.find(({ name }) => name === 'backups')
  assert.deepEqual([part?.state, part?.code], ['warning', 'backup_nowhere'])
  assert.deepEqual(lines, [`! backups: ${part?.sentence?.en}`, `    ${part?.remedy?.en}`])
  assert.match(part?.sentence?.zh ?? '', /BACKUP_AT, BACKUP_CHECK，但未设置 BACKUP_TO/)
  rows.push({
    configured: '`BACKUP_AT` and `BACKUP_CHECK` without `BACKUP_TO`',
    start: '',
    check: `backups: ${part?.sentence?.en} ${part?.remedy?.en}`,
  })
  const set = { ...ctx, ...configOf({ BACKUP_AT: '0 4 * * *', BACKUP_TO: '/backups' }) }
  const promised = (await readHealth(set, [])).parts.find(({ name }) => name === 'backups')
  assert.equal(promised?.code, 'backup_missing')
})

test('names servers that differ in the place of uploads, and pools beyond the database', async () => {
  const add = (host: string, connections: number, store: string | null) => sql`
    insert into server_nodes (id, host, connections, store)
    values (gen_random_uuid(), ${host}, ${connections}, ${store})`
  await add('alpha', 70, 'local 1')
  await add('beta', 71, 'local 2')
  await isNamed('`STORAGE=local` with a folder for each server', 'nodes', 'uploads_apart', {})
  const { database = '' } = connection
  await sql.unsafe(`alter database ${database} connection limit 97`)
  await isNamed('pools of all servers beyond `max_connections`', 'database', 'database_pools', {})
  await sql.unsafe(`alter database ${database} connection limit 144`)
  const codesOf = async () =>
    (await readHealth(ctx, SITE.probes)).parts
      .filter(({ name }) => name === 'database' || name === 'nodes')
      .map(({ code }) => code)
  const nodeProbes = SITE.probes.filter(({ part }) => part === 'nodes')
  for (const change of [
    () => sql`update server_nodes set store = 'local 2' where host = 'alpha'`,
    () => sql`update server_nodes set store = case host when 'alpha' then 'local 1' end`,
    () => sql`update server_nodes set store = host,
      seen_at = case host when 'beta' then now() - interval '3 minutes' else now() end`,
  ]) {
    await change()
    await checkHealth(ctx, nodeProbes)
    assert.deepEqual(await codesOf(), [null, null])
  }
  await sql`delete from server_nodes`
  await sql.unsafe(`alter database ${database} connection limit -1`)
})

test('names an address and a proxy that only requests show', async () => {
  await sql`
    insert into request_minutes (at, requests, faults, times, own_address, other_address, other_origin,
      untrusted_proxy, proxy)
    values (now() - interval '5 minutes', 50, 0, '{}', 2, 40, 'https://www.example.org', 40, '10.0.0.7')`
  const config = configOf({ PUBLIC_URL: 'https://social.example.org' })
  await isNamed('members use another address', 'browsers', 'address_other', config)
  await isNamed('a proxy that `TRUST_PROXY` does not list', 'proxy', 'proxy_untrusted', config)
  await sql`update request_minutes set own_address = 60, untrusted_proxy = 9`
  for (const part of ['browsers', 'proxy']) {
    const probes = SITE.probes.filter((probe) => probe.part === part)
    assert.ok(await reportChannels({ ...ctx, ...config }, { probes, print: () => {} }))
    await checkHealth({ ...ctx, ...config }, probes)
    const { parts } = await readHealth({ ...ctx, ...config }, probes)
    assert.equal(parts.find(({ name }) => name === part)?.state, 'good')
  }
})

test('every entry of the catalogue has the same details in both languages', () => {
  for (const [code, { en, zh }] of Object.entries(CATALOGUE)) {
    const details = (words: readonly string[]) => [...new Set(words.join(' ').match(/\{\w+\}/g))].sort()
    assert.deepEqual(details(zh), details(en), code)
    for (const text of en) assert.match(text, /^[A-Z{].*\.$/, code)
  }
})

test('docs/troubleshooting.md has these configurations', async () => {
  assert.ok(rows.length >= 25, `only ${rows.length} configurations`)
  const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('<', '&lt;') || 'starts'
  const table = [
    '| configured | the start says | `kith doctor` and the console say |',
    '|---|---|---|',
    ...rows.map(
      ({ configured, start, check }) =>
        `| ${configured} | ${cell(start)} | ${start ? 'the same' : cell(check)} |`,
    ),
  ]
  const page = await readFile(PAGE, 'utf8')
  const [before = '', rest = ''] = page.split(BEGIN)
  const written = `${before}${BEGIN}\n${table.join('\n')}\n\n${END}${rest.split(END)[1] ?? ''}`
  if (process.env.KITH_WRITE_TROUBLESHOOTING) await writeFile(PAGE, written)
  assert.equal(
    await readFile(PAGE, 'utf8'),
    written,
    'KITH_WRITE_TROUBLESHOOTING=1 npm test -- test/wrong-configurations.test.ts writes the table',
  )
})

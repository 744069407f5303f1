import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import S3rver from 's3rver'
import { bringerOf } from '#test/fixtures/bring-over.ts'
import { type MariaDb, skipMariaDb, startMariaDb } from '#test/fixtures/mariadb.ts'
import { flatPicture } from '#test/fixtures/media.ts'
import { addOldPeople, NODE } from '#test/fixtures/old-people.ts'
import { createThinkSns, type ThinkSns } from '#test/fixtures/thinksns.ts'
import { createWorld } from '#test/world.ts'
import { openFiles } from '../../../importers/thinksns/database/files.ts'
import { openSource, type Source } from '../../../importers/thinksns/database/source.ts'

const folder = await mkdtemp(join(tmpdir(), 'kith-reach-'))
after(() => rm(folder, { recursive: true, force: true }))

// Creates the world first, because installing MariaDB blocks this process longer than the connection timeout.
const world = await createWorld()

function makeCertificates() {
  const at = (name: string) => join(folder, name)
  const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: 'ignore' })
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  openssl('req', '-x509', ...key, '-keyout', at('ca.key'), '-out', at('ca.pem'), '-subj', '/CN=An authority')
  openssl(
    'req',
    ...key.slice(0, 4),
    '-keyout',
    at('key.pem'),
    '-out',
    at('request'),
    '-subj',
    '/CN=old',
    '-nodes',
  )
  execFileSync('sh', ['-c', `printf 'subjectAltName=DNS:localhost' > '${at('names')}'`])
  openssl(
    ...['x509', '-req', '-in', at('request'), '-CA', at('ca.pem'), '-CAkey', at('ca.key'), '-CAcreateserial'],
    ...['-days', '2', '-extfile', at('names'), '-out', at('cert.pem')],
  )
  return { ca: at('ca.pem'), cert: at('cert.pem'), key: at('key.pem') }
}

describe('connects to sources with and without TLS', { skip: skipMariaDb }, () => {
  let maria: MariaDb
  let plain: MariaDb
  let ca: string
  before(async () => {
    const made = makeCertificates()
    ca = made.ca
    maria = await startMariaDb({
      options: [`--ssl-ca=${made.ca}`, `--ssl-cert=${made.cert}`, `--ssl-key=${made.key}`],
    })
    plain = await startMariaDb()
    for (const each of [maria, plain]) await createThinkSns(each, 'old')
    await maria.run(undefined, 'set global require_secure_transport = on')
    await maria.run(undefined, "create user 'strict'@'%' identified by 'word' require ssl")
    await maria.run(undefined, "grant select on old.* to 'strict'@'%'")
  })
  after(() => Promise.all([maria?.stop(), plain?.stop()]))

  const opened = async (source: Promise<Source>) => {
    const { tables, close } = await source
    await close()
    return tables.has('users')
  }
  const at = (query = '', host = '127.0.0.1') => `${maria.address('old').replace('127.0.0.1', host)}${query}`
  const zone = { zone: 'UTC' }

  test('accepts any certificate with --tls', async () => {
    assert.ok(await opened(openSource({ database: at(), tls: true }, zone)))
    assert.ok(await opened(openSource({ database: at('?ssl=true') }, zone)))
  })

  test('reports that the source requires TLS', async () => {
    await assert.rejects(
      openSource({ database: at() }, zone),
      /must connect with TLS \(--tls\)|requires TLS: add --tls/,
    )
    const user = (address: string) => address.replace('root@', 'strict:word@')
    await assert.rejects(openSource({ database: user(at('?ssl=false')) }, zone), /--tls/)
    assert.ok(await opened(openSource({ database: user(at('?ssl=true')) }, zone)))
  })

  test("verifies the source's certificate against the certificate authority", async () => {
    await assert.rejects(
      openSource({ database: at('?ssl=verify', 'localhost') }, zone),
      /not trusted .*--tls-ca FILE/,
    )
    assert.ok(await opened(openSource({ database: at(), tlsCa: ca }, zone)))
    assert.ok(await opened(openSource({ database: at('?ssl=verify', 'localhost'), tlsCa: ca }, zone)))
    await assert.rejects(openSource({ database: at('?ssl=verify'), tlsCa: ca }, zone), /requires a host name/)
    await writeFile(join(folder, 'another.pem'), '')
    await assert.rejects(opened(openSource({ database: at(), tlsCa: join(folder, 'another.pem') }, zone)))
  })

  test('reports a source without TLS', async () => {
    const database = plain.address('old')
    await assert.rejects(openSource({ database, tls: true }, zone), /offers no TLS/)
    await assert.rejects(
      openSource({ database: `${database}?ssl=yes` }, zone),
      /\?ssl= .* must be true, verify or false/,
    )
    await assert.rejects(openSource({ database: 'nonsense' }, zone), /mysql:\/\//)
  })

  test('reads source tables with a name prefix', async () => {
    const prefixed = await createThinkSns(plain, 'prefixed', 'ts_')
    await prefixed.add('users', { id: 3, name: 'Ann' })
    // Creates tables of another application, which the import must ignore.
    for (const name of ['comments', 'currencies']) {
      await prefixed.run(`drop table ts_${name}`)
      await prefixed.run(`create table wp_${name} (id int)`)
    }
    const empty = await createWorld()
    await bringerOf(empty, { database: prefixed.address, prefix: 'ts_' })()
    assert.deepEqual([...(await empty.sql`select id, name from users`)], [{ id: 3, name: 'Ann' }])
  })
})

describe('imports files from a bucket', { skip: skipMariaDb }, async () => {
  const directory = join(folder, 's3')
  await mkdir(directory)
  const objects = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory,
    configureBuckets: [{ name: 'old', configs: [] }],
  })
  const { port } = await objects.run()
  const options = {
    bucket: '',
    region: 'us-east-1',
    accessKeyId: 'S3RVER',
    secretAccessKey: 'S3RVER',
    endpoint: `http://127.0.0.1:${port}`,
    forcePathStyle: true,
  }
  const client = new S3Client({
    region: options.region,
    endpoint: options.endpoint,
    forcePathStyle: true,
    credentials: options,
  })
  let maria: MariaDb
  let source: ThinkSns
  before(async () => {
    maria = await startMariaDb()
    source = await createThinkSns(maria, 'bucket')
    await addOldPeople(source)
    await source.run("update users set avatar = 'public:2019/09/09/0909/none.png' where id = 3")
    const Body = await flatPicture(40, 30).png().toBuffer()
    for (const path of [
      NODE.slice('public:'.length),
      'avatars/000/000/000/09.png',
      '2019/01/02/0304/abc.png',
    ])
      await client.send(new PutObjectCommand({ Bucket: 'old', Key: `the old site/${path}`, Body }))
    await client.send(new PutObjectCommand({ Bucket: 'old', Key: 'the old site/empty.png', Body: '' }))
  })
  after(async () => {
    await objects.close()
    client.destroy()
    await maria?.stop()
  })

  test('reports missing files of a bucket', async () => {
    world.ctx.config.s3 = options
    const bring = bringerOf(world, { database: source.address, files: 's3://old/the%20old%20site' })
    const looked = await bring({ dryRun: true })
    const done = await bring()
    const missing = done.notes.filter(
      ({ reason }) => reason === 'the file is missing from the storage folder',
    )
    assert.ok(missing.length > 0)
    const seen = ({ table, row }: { table: string; row: string }) => `${table} ${row}`
    assert.deepEqual(
      looked.notes
        .filter(({ reason }) => reason === missing[0]?.reason)
        .map(seen)
        .sort(),
      missing.map(seen).sort(),
    )
    const people = await world.sql<
      { id: number }[]
    >`select id from users where avatar is not null order by id`
    assert.deepEqual(
      people.map(({ id }) => id),
      [2, 9],
    )
    const [copied] = await world.sql<{ n: number }[]>`
      select count(*)::int as n from files where size > 0 and storage_key like 'imported/%'`
    assert.ok((copied?.n ?? 0) > 0)
  })

  test('distinguishes missing, empty and too large files of a bucket', async () => {
    const files = await openFiles('s3://old/the%20old%20site/', options, { largest: 50 })
    assert.equal(await files.read('2019/01/02/0304/abc.png', async (bytes) => bytes), 'too large')
    assert.equal(await files.read('../the old site/empty.png', async (bytes) => bytes), 'missing')
    assert.equal(await files.read('empty.png', async (bytes) => bytes.length), 0)
    const listed = await Array.fromAsync(files.list('2019'), ({ path }) => path)
    assert.ok(listed.includes('2019/01/02/0304/abc.png'), `${listed}`)
    assert.deepEqual(await Array.fromAsync(files.list('user-bg')), [])
  })

  test('rejects an empty folder, an unknown bucket and missing credentials', async () => {
    await assert.rejects(openFiles('s3://old/elsewhere', options), /no files below s3:/)
    await assert.rejects(openFiles('s3://unknown', options), /the bucket unknown cannot be read/)
    await assert.rejects(openFiles('s3://old', { ...options, accessKeyId: '' }), /S3_ACCESS_KEY_ID/)
  })
})

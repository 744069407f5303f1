import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { createWorld } from '#test/world.ts'
import { openPlain } from './dump.ts'
import { recordBackup } from './history.ts'
import { backupTasks } from './jobs.ts'
import { openPlace } from './place.ts'
import { loadBackup, verifyBackup } from './read.ts'
import { seal, unseal } from './seal.ts'
import { ArchiveFault, readTar, tarEnd, tarEntry } from './tar.ts'
import { writeBackup } from './write.ts'

const { ctx, connection, person, sql } = await createWorld()

type File = [name: string, text: string]
const streamOf = async function* (...pieces: Buffer[]) {
  yield* pieces
}
const bytesOf = async (stream: AsyncIterable<Buffer>) => Buffer.concat(await Array.fromAsync(stream))
const sumOf = (text: string | Buffer) => createHash('sha256').update(text).digest('hex')

/** An archive of these files, as they are. */
async function archiveOf(files: [name: string, content: string | Buffer][]): Promise<Buffer> {
  const parts: Buffer[] = []
  for (const [name, content] of files) {
    const bytes = Buffer.from(content)
    parts.push(await bytesOf(tarEntry(name, bytes.length, [bytes], () => {})))
  }
  return Buffer.concat([...parts, tarEnd()])
}

const HEAD = { format: 1, version: '1', made_at: '', migrations: [], tables: [] as object[] }
const END = { rows: {} as Record<string, number>, sequences: [], files: 0, missing: 0 }

/** A backup that adds up, with what is given changed in it. */
async function backupOf(change: { head?: object; end?: object; files?: [string, Buffer][] } = {}) {
  const files: [string, string | Buffer][] = [
    ['backup.json', JSON.stringify({ ...HEAD, ...change.head })],
    ['app-secret', 'a secret\n'],
    ...(change.files ?? []),
  ]
  const list = files.map(([name, content]) => `${sumOf(content)}  ${name}\n`).join('')
  const end = { ...END, entries: files.length, checksums: sumOf(list), ...change.end }
  return [...files, ['checksums/000001', list], ['end.json', JSON.stringify(end)]] as File[]
}

const sourceOf = (bytes: Buffer, passphrase?: string) => ({ read: async () => streamOf(bytes), passphrase })
const verify = async (files: File[]) => verifyBackup(sourceOf(await archiveOf(files)))

test('an archive gives back what was put into it, of whatever size, in whatever pieces it comes', async () => {
  const files: File[] = [0, 1, 511, 512, 513, 2000].map((size) => [`a folder/${size}`, 'x'.repeat(size)])
  files.push([`${'long/'.repeat(25)}${'n'.repeat(90)}`, 'named at length'])
  const archive = await archiveOf(files)
  for (const step of [7, 512, archive.length]) {
    const pieces = Array.from({ length: Math.ceil(archive.length / step) }, (_, n) =>
      archive.subarray(n * step, (n + 1) * step),
    )
    const found: File[] = []
    for await (const { name, body } of readTar(streamOf(...pieces)))
      found.push([name, (await bytesOf(body)).toString()])
    assert.deepEqual(found, files)
  }
})

test('an archive that cannot be, or is not what it was, is refused', async () => {
  const write = (name: string, size: number, body: string) =>
    bytesOf(tarEntry(name, size, [Buffer.from(body)], () => {}))
  await assert.rejects(write('n'.repeat(101), 1, 'x'), /too long for an archive/)
  await assert.rejects(write(`${'p'.repeat(156)}/n`, 1, 'x'), /too long for an archive/)
  await assert.rejects(write('grown', 1, 'xx'), /changed its size/)
  await assert.rejects(write('shrunk', 2, 'x'), /changed its size/)

  const archive = await archiveOf([['one', 'text']])
  const changed = (at: number) => {
    const bytes = Buffer.from(archive)
    bytes[at] = (bytes[at] ?? 0) ^ 1
    return bytes
  }
  const read = async (bytes: Buffer) => {
    for await (const { body } of readTar(streamOf(bytes))) await bytesOf(body)
  }
  await read(archive)
  for (const [bytes, told] of [
    [archive.subarray(0, 600), /cut off/],
    [archive.subarray(0, 1024), /cut off/],
    // A letter of the name, one of the format's own name, and one of what fills up the last block.
    [changed(0), /is no backup, or it is damaged/],
    [changed(257), /is no backup, or it is damaged/],
    [changed(700), /the backup is damaged/],
  ] as const)
    await assert.rejects(read(bytes), (error) => error instanceof ArchiveFault && told.test(error.message))
})

test('what is sealed comes back piece by piece, and nothing can be changed in it or put behind it', async () => {
  const plain = Buffer.alloc(150_000, 'some text ')
  const sealed = await bytesOf(seal(streamOf(plain.subarray(0, 10), plain.subarray(10)), 'a passphrase'))
  const open = (...pieces: Buffer[]) => bytesOf(unseal(streamOf(...pieces), 'a passphrase'))
  assert.deepEqual(await open(sealed), plain)
  const bySingles = Array.from(sealed.subarray(0, 60), (_, at) => sealed.subarray(at, at + 1))
  assert.deepEqual(await open(...bySingles, sealed.subarray(60)), plain)
  // Seal and salt are 30 bytes, then each piece has its length, its tag and its text.
  const second = 30 + 20 + 65_536
  const longer = Buffer.from(sealed)
  longer.writeUInt32BE(0xfffffff0, second)
  for (const [bytes, told] of [
    [longer, /the sealed backup is damaged/],
    [Buffer.concat([sealed, sealed.subarray(30, second)]), /something after its end/],
    [sealed.subarray(0, second), /cut off/],
    [Buffer.concat([sealed.subarray(0, 30), sealed.subarray(second)]), /not what the backup was sealed with/],
  ] as const)
    await assert.rejects(open(bytes), told)
  await assert.rejects(bytesOf(unseal(streamOf(sealed), undefined)), /set BACKUP_PASSPHRASE/)
  // What is shorter than a seal is not sealed.
  assert.deepEqual(await open(Buffer.from('short')), Buffer.from('short'))
})

test('a backup is whole when all that it says of itself is so', async () => {
  const good = await backupOf()
  assert.equal((await verify(good)).appSecret, 'a secret')
  const without = (name: string) => good.filter(([each]) => each !== name)
  const altered = (name: string, content: string) =>
    good.map((each): File => (each[0] === name ? [name, content] : each))
  const cases: [File[], RegExp][] = [
    [[...good, ['more', 'x']], /something after its end/],
    [altered('app-secret', 'another'), /app-secret is not what it was/],
    [without('checksums/000001'), /parts of it are missing/],
    [await backupOf({ end: { entries: 3 } }), /parts of it are missing/],
    [await backupOf({ end: { checksums: sumOf('others') } }), /parts of it are missing/],
    [await backupOf({ head: { format: 2 } }), /a newer version/],
    [[['something', 'else']], /no backup of Kith/],
    [without('end.json'), /no backup of Kith/],
  ]
  for (const [files, told] of cases)
    await assert.rejects(verify(files), (error) => error instanceof ArchiveFault && told.test(error.message))
})

test('nothing is loaded into tables that a backup does not list, nor fewer rows than it had', async () => {
  const load = async (files: File[]) => {
    const source = sourceOf(await archiveOf(files))
    const plain = openPlain(connection)
    const target = { storage: ctx.storage, keepSecret: async () => {} }
    const read = await verifyBackup(source)
    await plain.begin((tx) => loadBackup(source, read, { sql: tx, ...target })).finally(() => plain.end())
  }
  const rows: [string, Buffer] = ['database/public.backup_runs/000001.gz', gzipSync('')]
  await assert.rejects(load(await backupOf({ files: [rows] })), /which it does not list/)
  const tables = [{ name: 'public.backup_runs', columns: ['place'] }]
  const fewer = await backupOf({
    head: { tables },
    end: { rows: { 'public.backup_runs': 2 } },
    files: [rows],
  })
  await assert.rejects(load(fewer), /has 0 rows after it was loaded, and had 2/)
})

test('a file whose bytes are gone is counted, and the backup goes on', async () => {
  const { id } = await person()
  await sql`insert into files (owner_id, sha256, md5, storage_key, mime, size)
    values (${id}, ${Buffer.alloc(32)}, ${Buffer.alloc(16)}, 'files/that/is/gone', 'image/png', 1)`
  let missing = -1
  const source = { connection, storage: ctx.storage, appSecret: 'a secret' }
  for await (const _piece of writeBackup(source, (end) => (missing = end.missing)));
  assert.equal(missing, 1)
})

test('runs of more than a year ago are forgotten with the next one', async () => {
  const run = { place: 'somewhere', bytes: 1, seconds: 1 }
  await recordBackup(sql, run)
  await recordBackup(sql, run)
  const [last] = await sql<{ id: number }[]>`select id from backup_runs order by id desc limit 1`
  await sql`update backup_runs set finished_at = now() - interval '500 days' where id = ${last?.id ?? 0}`
  await recordBackup(sql, run)
  assert.equal((await sql`select from backup_runs`).length, 2)
})

test('a job for a place that is no longer configured does nothing, and a bucket alone is no place', async () => {
  const before = (await sql`select from backup_runs`).length
  await backupTasks(ctx, connection).scheduled_backup?.({}, {} as never)
  assert.equal((await sql`select from backup_runs`).length, before)
  for (const place of ['s3://bucket', 's3://bucket/'])
    assert.throws(() => openPlace(place, ctx.config.s3), /names no object/)
})

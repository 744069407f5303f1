import assert from 'node:assert/strict'
import { createDecipheriv, createHash, hkdfSync, scryptSync } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { createWorld } from '#test/world.ts'
import { ArchiveFault, readArchive, writeArchive } from './archive.ts'
import { openDumpSession } from './dump.ts'
import { backupTasks, recordBackup } from './jobs.ts'
import { openBackupPlace } from './place.ts'
import { loadBackup, verifyBackup } from './read.ts'
import { seal, unseal } from './seal.ts'
import { writeBackup } from './write.ts'

const { ctx, connection, person, sql } = await createWorld()

type File = [name: string, text: string]
const streamOf = async function* (...pieces: Buffer[]) {
  yield* pieces
}
const bytesOf = async (stream: AsyncIterable<Buffer>) => Buffer.concat(await Array.fromAsync(stream))
const sumOf = (text: string | Buffer) => createHash('sha256').update(text).digest('hex')

const archiveOf = (files: [name: string, content: string | Buffer][]): Promise<Buffer> =>
  bytesOf(
    writeArchive(async (add) => {
      for (const [name, content] of files) {
        const bytes = Buffer.from(content)
        assert.equal(await add(name, bytes.length, [bytes]), sumOf(bytes))
      }
    }),
  )

const HEAD = { format: 1, version: '1', made_at: '', migrations: [], tables: [] as object[] }
const END = { rows: {} as Record<string, number>, sequences: [], files: 0, missing: 0 }

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

test('reads files of different sizes from an archive that arrives in small or large chunks', async () => {
  const files: File[] = [0, 1, 511, 512, 513, 2000].map((size) => [`a folder/${size}`, 'x'.repeat(size)])
  files.push([`${'long/'.repeat(25)}${'n'.repeat(90)}`, 'named at length'])
  const archive = await archiveOf(files)
  for (const step of [7, 512, archive.length]) {
    const pieces = Array.from({ length: Math.ceil(archive.length / step) }, (_, n) =>
      archive.subarray(n * step, (n + 1) * step),
    )
    const found: File[] = []
    for await (const { name, body } of readArchive(streamOf(...pieces)))
      found.push([name, (await bytesOf(body)).toString()])
    assert.deepEqual(found, files)
  }
})

test('rejects a file whose size changes while it is archived', async () => {
  const write = (name: string, size: number, body: string) =>
    bytesOf(writeArchive(async (add) => void (await add(name, size, [Buffer.from(body)]))))
  await assert.rejects(write('grown', 1, 'xx'), /grown changed in size/)
  await assert.rejects(write('shrunk', 2, 'x'), /shrunk changed in size/)
})

test('rejects a malformed archive', async () => {
  const archive = await archiveOf([['one', 'text']])
  const changed = (at: number) => {
    const bytes = Buffer.from(archive)
    bytes[at] = (bytes[at] ?? 0) ^ 1
    return bytes
  }
  const read = async (bytes: Buffer) => {
    for await (const { body } of readArchive(streamOf(bytes))) await bytesOf(body)
  }
  await read(archive)
  for (const [bytes, told] of [
    [archive.subarray(0, 600), /truncated/],
    [changed(0), /is not a backup, or it is damaged/],
    [changed(257), /is not a backup, or it is damaged/],
  ] as const)
    await assert.rejects(read(bytes), (error) => error instanceof ArchiveFault && told.test(error.message))
})

test('propagates read errors of the disk', async () => {
  const failing = async function* () {
    yield Buffer.alloc(600)
    throw new Error('the disk is gone')
  }
  const written = writeArchive(async (add) => void (await add('a', 2000, failing())))
  await assert.rejects(bytesOf(written), /the disk is gone/)
  await assert.rejects(bytesOf(seal(failing(), 'a passphrase')), /the disk is gone/)
  const archive = await archiveOf([['one', 'x'.repeat(5000)]])
  const sealed = await bytesOf(seal(streamOf(archive), 'a passphrase'))
  for (const bytes of [archive, sealed]) {
    const broken = async function* () {
      yield bytes.subarray(0, 1000)
      throw new Error('the disk is gone')
    }
    const read = async () => {
      for await (const { body } of readArchive(unseal(broken(), 'a passphrase'))) await bytesOf(body)
    }
    await assert.rejects(read(), /the disk is gone/)
  }
})

test('stops writing an archive when its reader stops reading', async () => {
  let isEnded = false
  const archive = writeArchive(async (add) => {
    try {
      for (let n = 0; ; n += 1) await add(String(n), 100_000, [Buffer.alloc(100_000)])
    } finally {
      isEnded = true
    }
  })
  for await (const _chunk of archive) break
  assert.ok(isEnded)
})

/** Decrypts an age file independently of the code under test. */
function openAge(file: Buffer, passphrase: string): Buffer {
  const [, stanza = '', wrapped = '', mac = ''] = file.toString('latin1').split('\n')
  const [, type, salt = '', cost] = stanza.split(' ')
  assert.equal(type, 'scrypt')
  const open = (key: Buffer, nonce: Buffer, sealed: Buffer) => {
    const cipher = createDecipheriv('chacha20-poly1305', key, nonce, { authTagLength: 16 })
    cipher.setAuthTag(sealed.subarray(-16))
    return Buffer.concat([cipher.update(sealed.subarray(0, -16)), cipher.final()])
  }
  const label = Buffer.concat([Buffer.from('age-encryption.org/v1/scrypt'), Buffer.from(salt, 'base64')])
  const N = 2 ** Number(cost)
  const key = scryptSync(passphrase, label, 32, { N, r: 8, p: 1, maxmem: 256 * N * 8 })
  const fileKey = open(key, Buffer.alloc(12), Buffer.from(wrapped, 'base64'))
  const payload = file.subarray(file.indexOf(mac) + mac.length + 1)
  const payloadKey = Buffer.from(hkdfSync('sha256', fileKey, payload.subarray(0, 16), 'payload', 32))
  const pieces: Buffer[] = []
  for (let at = 16; at < payload.length; at += 65_552) {
    const nonce = Buffer.alloc(12)
    nonce.writeUInt32BE(pieces.length, 7)
    nonce[11] = at + 65_552 >= payload.length ? 1 : 0
    pieces.push(open(payloadKey, nonce, payload.subarray(at, at + 65_552)))
  }
  return Buffer.concat(pieces)
}

test('seals backups in the age format', async () => {
  const plain = Buffer.alloc(150_000, 'some text ')
  const sealed = await bytesOf(seal(streamOf(plain.subarray(0, 10), plain.subarray(10)), 'a passphrase'))
  assert.deepEqual(openAge(sealed, 'a passphrase'), plain)
  const open = (...pieces: Buffer[]) => bytesOf(unseal(streamOf(...pieces), 'a passphrase'))
  assert.deepEqual(await open(sealed), plain)
  const bySingles = Array.from(sealed.subarray(0, 60), (_, at) => sealed.subarray(at, at + 1))
  assert.deepEqual(await open(...bySingles, sealed.subarray(60)), plain)
  // Input shorter than the magic bytes counts as unsealed.
  assert.deepEqual(await open(Buffer.from('short')), Buffer.from('short'))
})

test('rejects a damaged sealed backup or a wrong passphrase', async () => {
  const sealed = await bytesOf(seal(streamOf(Buffer.alloc(150_000, 'some text ')), 'a passphrase'))
  const open = (bytes: Buffer) => bytesOf(unseal(streamOf(bytes), 'a passphrase'))
  const changed = Buffer.from(sealed)
  changed[100_000] = (changed[100_000] ?? 0) ^ 1
  for (const bytes of [changed, Buffer.concat([sealed, sealed.subarray(-100)]), sealed.subarray(0, -60_000)])
    await assert.rejects(
      open(bytes),
      (error) => error instanceof ArchiveFault && /is damaged or truncated/.test(error.message),
    )
  const another = bytesOf(unseal(streamOf(sealed), 'another'))
  await assert.rejects(another, /not the passphrase of the backup/)
  await assert.rejects(bytesOf(unseal(streamOf(sealed), undefined)), /set BACKUP_PASSPHRASE/)
})

const sealedText = async () =>
  (await bytesOf(seal(streamOf(Buffer.from('kith')), 'a passphrase'))).toString('latin1')
const openText = (text: string) => bytesOf(unseal(streamOf(Buffer.from(text, 'latin1')), 'a passphrase'))

test('rejects a sealed backup with an altered header', async () => {
  const sealed = await sealedText()
  // Changes only the header's MAC, so that the file key still unwraps.
  const forged = sealed.replace(/(--- )(.)/, (_, start, first) => `${start}${first === 'A' ? 'B' : 'A'}`)
  assert.notEqual(forged, sealed)
  await assert.rejects(openText(forged), /not the passphrase of the backup/)
})

test('rejects a sealed backup whose scrypt cost is over the limit', async () => {
  const sealed = await sealedText()
  await assert.rejects(
    openText(sealed.replace(' 16\n', ' 19\n')),
    /a scrypt cost of 19; Kith opens 18 or less/,
  )
})

test('restores a backup that was sealed in the former format', async () => {
  const bytes = await readFile('test/fixtures/former-sealed.backup')
  const source = sourceOf(bytes, 'a former passphrase')
  const read = await verifyBackup(source)
  assert.equal(read.appSecret, 'a secret of the former format')
  const plain = await openDumpSession(connection)
  const kept: string[] = []
  const target = { storage: ctx.storage, keepSecret: async (secret: string) => void kept.push(secret) }
  await loadBackup(source, read, { ...plain, ...target }).finally(plain.end)
  const [row] = await sql`select place, bytes::int, fault from backup_runs`
  assert.deepEqual(row, { place: 'former format', bytes: 42, fault: null })
  const upload = await ctx.storage.open(`${'folder/'.repeat(15)}former.txt`)
  assert.equal((await bytesOf(upload.stream)).toString(), 'an upload of the former format')
  assert.deepEqual(kept, [read.appSecret])
  await sql`delete from backup_runs`
})

test('rejects a damaged backup of the former format', async () => {
  const sealed = await readFile('test/fixtures/former-sealed.backup')
  const open = (bytes: Buffer, passphrase = 'a former passphrase') =>
    bytesOf(unseal(streamOf(bytes.subarray(0, 20), bytes.subarray(20)), passphrase))
  assert.equal((await open(sealed)).length % 512, 0)
  const longer = Buffer.from(sealed)
  longer.writeUInt32BE(0xfffffff0, 30)
  const changed = Buffer.from(sealed)
  changed[100] = (changed[100] ?? 0) ^ 1
  for (const [bytes, told] of [
    [longer, /the sealed backup is damaged/],
    [changed, /not the passphrase of the backup, or the backup is damaged/],
    [Buffer.concat([sealed, sealed.subarray(30)]), /data after its end/],
    [sealed.subarray(0, -1), /truncated/],
  ] as const)
    await assert.rejects(open(bytes), (error) => error instanceof ArchiveFault && told.test(error.message))
  await assert.rejects(open(sealed, 'another'), /not the passphrase of the backup/)
  await assert.rejects(bytesOf(unseal(streamOf(sealed), undefined)), /set BACKUP_PASSPHRASE/)
})

test('rejects an incomplete or altered backup', async () => {
  const good = await backupOf()
  assert.equal((await verify(good)).appSecret, 'a secret')
  const without = (name: string) => good.filter(([each]) => each !== name)
  const altered = (name: string, content: string) =>
    good.map((each): File => (each[0] === name ? [name, content] : each))
  const cases: [File[], RegExp][] = [
    [[...good, ['more', 'x']], /data after its end/],
    [altered('app-secret', 'another'), /app-secret has a wrong checksum/],
    [without('checksums/000001'), /parts of it are missing/],
    [await backupOf({ end: { entries: 3 } }), /parts of it are missing/],
    [await backupOf({ end: { checksums: sumOf('others') } }), /parts of it are missing/],
    [await backupOf({ head: { format: 2 } }), /a newer version/],
    [[['something', 'else']], /not a backup of Kith/],
    [without('end.json'), /truncated/],
  ]
  for (const [files, told] of cases)
    await assert.rejects(verify(files), (error) => error instanceof ArchiveFault && told.test(error.message))
})

test('rejects a backup with missing rows, or with names and sizes that Kith does not write', async () => {
  const load = async (files: File[]) => {
    const source = sourceOf(await archiveOf(files))
    const plain = await openDumpSession(connection)
    const target = { storage: ctx.storage, keepSecret: async () => {} }
    const read = await verifyBackup(source)
    await loadBackup(source, read, { ...plain, ...target }).finally(plain.end)
  }
  const rows: [string, Buffer] = ['database/public.backup_runs/000001.gz', gzipSync('')]
  await assert.rejects(load(await backupOf({ files: [rows] })), /which it does not list/)
  const tables = [{ name: 'public.backup_runs', columns: ['place'] }]
  const fewer = await backupOf({
    head: { tables },
    end: { rows: { 'public.backup_runs': 2 } },
    files: [rows],
  })
  await assert.rejects(load(fewer), /has 0 rows after loading, but 2 in the backup/)
  for (const column of ['none', 'place) from program $$touch /tmp/forged$$ --']) {
    const forged = [{ name: 'public.backup_runs', columns: [column] }]
    await assert.rejects(load(await backupOf({ head: { tables: forged } })), /which this version lacks/)
  }
  // Skips a table that is no table of the site.
  const catalog = [{ name: 'pg_catalog.pg_description', columns: ['objoid'] }]
  const descriptions = () => sql`select count(*)::int as count from pg_description`
  const before = await descriptions()
  await load(await backupOf({ head: { tables: catalog } }))
  assert.deepEqual(await descriptions(), before)
  const bomb: [string, Buffer] = [
    'database/public.backup_runs/000001.gz',
    gzipSync(Buffer.alloc(257 * 1024 * 1024)),
  ]
  await assert.rejects(load(await backupOf({ head: { tables }, files: [bomb] })), /larger than/)
})

test('completes a backup when the stored file of an upload is missing', async () => {
  const { id } = await person()
  await sql`insert into files (owner_id, sha256, md5, storage_key, mime, size)
    values (${id}, ${Buffer.alloc(32)}, ${Buffer.alloc(16)}, 'files/that/is/gone', 'image/png', 1)`
  let missing = -1
  const source = { connection, storage: ctx.storage, appSecret: 'a secret' }
  for await (const _piece of writeBackup(source, (end) => (missing = end.missing)));
  assert.equal(missing, 1)
})

test('deletes entries of `backup_runs` older than 400 days', async () => {
  const run = { place: 'somewhere', bytes: 1, seconds: 1 }
  await recordBackup(sql, run)
  await recordBackup(sql, run)
  const [last] = await sql<{ id: number }[]>`select id from backup_runs order by id desc limit 1`
  await sql`update backup_runs set finished_at = now() - interval '500 days' where id = ${last?.id ?? 0}`
  await recordBackup(sql, run)
  assert.equal((await sql`select from backup_runs`).length, 2)
})

test('skips a scheduled backup when no destination is configured', async () => {
  const before = (await sql`select from backup_runs`).length
  await backupTasks(ctx, connection).scheduled_backup?.({}, {} as never)
  assert.equal((await sql`select from backup_runs`).length, before)
})

test('rejects a bucket URL without an object name', () => {
  for (const place of ['s3://bucket', 's3://bucket/'])
    assert.throws(() => openBackupPlace(place, ctx.config.s3), /does not name an object/)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { transaction } from '#platform/database'
import { flatPicture, mp3, noisyPicture } from '#test/fixtures/media.ts'
import { createWorld } from '#test/world.ts'
import type { SourceBytes } from '../../database/files.ts'
import type { ImportStep } from '../../database/table.ts'
import { copyPictures, nodePicture, wantPictures } from './pictures.ts'
import { copyUploads } from './uploads.ts'

const world = await createWorld()
const { ctx, sql, guest, person } = world

const whole = await flatPicture(20, 10).png().toBuffer()
const cut = (await noisyPicture(90, 90).png().toBuffer()).subarray(0, 9_000)
const huge = await flatPicture(8_000, 6_251).png({ palette: true, colours: 2 }).toBuffer()

const SOURCE: [
  path: string,
  bytes: SourceBytes,
  ofUpload: string | undefined,
  ofPicture: string | undefined,
][] = [
  ['whole.png', whole, undefined, undefined],
  ['sound.mp3', mp3(), undefined, 'not a picture'],
  ['cut.png', cut, 'damaged: kept as it is', 'damaged: kept as it is'],
  ['gone.png', 'missing', ...same('the file is missing from the storage folder')],
  ['film.mp4', 'too large', ...same('more than 512 MB')],
  ['empty.png', Buffer.alloc(0), ...same('the file is empty')],
  ['page.png', Buffer.from('<!doctype html>'), ...same('unsupported file type')],
  ['huge.png', huge, ...same('damaged, or more than 50 megapixels')],
]

function same(reason: string): [string, string] {
  return [reason, reason]
}

async function run(step: ImportStep): Promise<Map<string, string>> {
  const notes = new Map<string, string>()
  let rounds = 0
  await step.run({
    ctx,
    options: { waiting: 'keep', oldWallets: false, oldPrices: false, lockDisablers: false, dryRun: false },
    files: {
      read: (path, use) => use(SOURCE.find(([name]) => path.endsWith(name))?.[1] ?? 'missing'),
      async *list() {},
    },
    transaction: (work) => transaction(sql, work),
    changed: async () => {},
    note: async (key, reason) => void notes.set(key, reason),
    forget() {},
    saveNotes: async () => {},
    progress() {
      rounds += 1
      assert.ok(rounds < 9, 'terminates')
    },
  })
  return notes
}

test('copies each upload or reports why it is unusable', async () => {
  const { id: owner } = await person()
  for (const [at, [path]] of SOURCE.entries())
    await sql`
      with content as (insert into import_files (id, path, mime) values (${at}, ${path}, 'image/png')),
      file as (
        insert into files (owner_id, sha256, md5, storage_key, mime, size)
        values (${owner}, ${`waiting ${at}`}, '', ${`imported/waiting/${at}-${owner}`}, 'image/png', 0) returning id
      ),
      link as (insert into import_uploads (content_id, owner_id, file_id) select ${at}, ${owner}, id from file)
      insert into file_uses (file_id, owner_id, channel) select id, ${owner}, 'imported' from file`
  const expected = SOURCE.map(([, , reason]) => reason)
  const notesOf = (notes: Map<string, string>) =>
    SOURCE.map((_, at) => notes.get(`file ${at} of user ${owner}`))
  assert.deepEqual(notesOf(await run(copyUploads)), expected)
  const differences = await sql<{ column: string; old: string; new: string }[]>`
    select source_column as column, was as old, became as new from import_notes
    where row_key = ${`file 1 of user ${owner}`} and reason = 'differs from the stored bytes'`
  assert.deepEqual([...differences], [{ column: 'mime', old: '"image/png"', new: '"audio/mpeg"' }])
  const here = await sql<{ path: string }[]>`
    select i.path from import_files i join import_uploads u on u.content_id = i.id join files f on f.id = u.file_id
    where f.size > 0 order by i.id`
  assert.deepEqual(
    here.map(({ path }) => path),
    ['whole.png', 'sound.mp3', 'cut.png'],
  )
  assert.deepEqual(
    notesOf(await run(copyUploads)),
    expected.map((reason) => (reason?.startsWith('damaged: kept') ? undefined : reason)),
  )
})

test('copies each picture or reports why it is unusable', async () => {
  const { id: ownerId } = await person()
  const wanted = SOURCE.map(([path], id) => ({ id, ownerId, ...nodePicture(`avatars/${path}`) }))
  await wantPictures(
    sql,
    'test',
    wanted.map(({ id }) => id),
    wanted,
  )
  const notes = await run(copyPictures)
  assert.deepEqual(
    SOURCE.map((_, id) => notes.get(`test ${id}`)),
    SOURCE.map(([, , , reason]) => reason),
  )
  const found = await Promise.all(
    SOURCE.map(async ([path]) => (await guest('GET', `http://localhost/storage/avatars/${path}`)).status),
  )
  assert.deepEqual(found, [302, 404, 302, 404, 404, 404, 404, 404])
  const { size } = await run(copyPictures)
  assert.equal(size, notes.size - 1)
})

test('derives the same file node from a picture path with and without a leading slash', () => {
  const path = `2020/01/02/${'a'.repeat(64)}.png`
  assert.deepEqual(nodePicture(`public:${path}`), { node: `public:${path}`, path })
  const other = nodePicture('/avatars/1.JPG')
  assert.match(other.node, /^public:2000\/01\/01\/[A-Za-z0-9]{64}\.jpg$/)
  assert.deepEqual(nodePicture('avatars/1.JPG'), other)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWorld } from '#test/world.ts'

const { as, guest, person, sql } = await createWorld()

const PATH = '2019/01/02/0304/shared.png'
let contents = 0

type Shown = { channel: string | null; raw: number | null; owner: number }

async function contentWith(uses: Shown[]) {
  contents += 1
  const path = PATH.replace('shared', `shared${contents}`)
  await sql`insert into import_files (id, path, mime) values (${contents}, ${path}, 'image/png')`
  const ids: number[] = []
  for (const { channel, raw, owner } of uses) {
    const [file] = await sql<{ id: number }[]>`
      insert into files (owner_id, sha256, md5, storage_key, mime, size)
      values (${owner}, sha256(${`${contents} ${owner}`}::bytea), '\\x00112233445566778899aabbccddeeff', ${`k ${contents} ${owner}`}, 'image/png', 9)
      on conflict (owner_id, sha256) do update set size = 9 returning id`
    await sql`
      insert into import_uploads (content_id, owner_id, file_id) values (${contents}, ${owner}, ${file?.id ?? 0})
      on conflict do nothing`
    const [use] = await sql<{ id: number }[]>`
      insert into file_uses (file_id, owner_id, channel, raw) values (${file?.id ?? 0}, ${owner}, ${channel}, ${raw})
      returning id`
    ids.push(use?.id ?? 0)
  }
  return { path, ids }
}

const at = async (path: string, who?: Parameters<typeof as>[0]) => {
  const url = `http://localhost/storage/${path}`
  const { status, headers } = await (who ? as(who, 'GET', url) : guest('GET', url))
  return status === 302 ? Number(String(headers.location).split('/').at(-1)) : status
}

const author = await person()
const feed = async () => {
  const { body } = await as(author, 'POST', '/feeds', {
    feed_content: 'text',
    feed_from: 1,
    feed_mark: `${Math.random()}`,
  })
  return body.id as number
}

test('redirects an old file URL to a public use when an earlier use is private (files-13)', async () => {
  const paper = { channel: 'certification:file', raw: author.id, owner: author.id }
  const { path, ids } = await contentWith([
    paper,
    { channel: 'feed:image', raw: 2 ** 40, owner: author.id },
    { channel: 'feed:image', raw: await feed(), owner: author.id },
  ])
  assert.equal(await at(path), ids[2])
  assert.equal(await at(path.replace('.png', '/w100-h100-b0-q60.png')), ids[2])
})

test('redirects an old file URL to a use that the viewer may see when no use is public', async () => {
  const paper = { channel: 'certification:file', raw: author.id, owner: author.id }
  const { path, ids } = await contentWith([
    { channel: null, raw: null, owner: (await person()).id },
    { ...paper, channel: null, raw: null },
  ])
  assert.equal(await at(path), 404)
  assert.equal(await at(path, author), ids[1])
  assert.equal(await at(path, await person()), 404)
})

test('redirects an old file URL to a free use when an earlier use requires payment', async () => {
  const [paid, free] = [await feed(), await feed()]
  const { path, ids } = await contentWith([
    { channel: 'feed:image', raw: paid, owner: author.id },
    { channel: 'feed:image', raw: free, owner: author.id },
  ])
  await sql`
    insert into paid_nodes (channel, raw, subject, body, amount, user_id, extra)
    values ('file', ${ids[0] ?? 0}, 's', 'b', 5, ${author.id}, 'read')`
  assert.equal(await at(path), ids[1])
})

test('redirects an old file URL to a visible use that follows thirty hidden uses', async () => {
  const hidden = Array.from({ length: 30 }, (_, n) => ({
    channel: 'feed:image',
    raw: 2 ** 40 + n,
    owner: author.id,
  }))
  const { path, ids } = await contentWith([
    ...hidden,
    { channel: 'feed:image', raw: await feed(), owner: author.id },
  ])
  assert.equal(await at(path), ids[30])
})

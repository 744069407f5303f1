import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { attachFiles } from '#modules/files/index.ts'
import { ApiError } from '#platform/errors.ts'
import { newPicture, upload } from '#test/fixtures/uploads.ts'
import { createWorld, type Person } from '#test/world.ts'

const world = await createWorld({ MAX_UPLOAD_BYTES: '300000' })
const { sql } = world
const alice = await world.person()
const bob = await world.person()

const uploaded = (person: Person, bytes: Buffer) => upload(world, person, bytes)

describe('attachment of uploads', () => {
  const attach = (ids: number[], more: Partial<Parameters<typeof attachFiles>[1]> = {}) =>
    sql.begin((tx) =>
      attachFiles(tx, { ids, ownerId: alice.id, channel: 'test:image', raw: 1, field: 'images', ...more }),
    )
  const refusal = (error: unknown) =>
    error instanceof ApiError && error.status === 422 && error.details.errors?.images !== undefined

  test('attaches an upload to only one piece of content (files-4)', async () => {
    const bytes = await newPicture(30, 20)
    const id = await uploaded(alice, bytes)
    const uses = await attach([id], { kind: 'image' })
    assert.deepEqual(uses.get(id), {
      id,
      kind: 'image',
      mime: 'image/png',
      size: '30x20',
      bytes: bytes.length,
      width: 30,
      height: 20,
    })
    await assert.rejects(attach([id], { raw: 2 }), refusal)
    assert.equal((await attach([id])).size, 1)
    assert.equal((await attach([])).size, 0)
  })

  test('attaches nothing when one of the uploads is unusable', async () => {
    const mine = await uploaded(alice, await newPicture())
    const theirs = await uploaded(bob, await newPicture())
    await assert.rejects(attach([mine, theirs]), refusal)
    await assert.rejects(attach([mine, 999_999_999]), refusal)
    await assert.rejects(attach([mine, mine]), refusal)
    await assert.rejects(attach([mine], { kind: 'video' }), refusal)
    assert.equal((await attach([mine])).size, 1)
  })

  test('attaches an upload to one piece of content when several attach it concurrently', async () => {
    const id = await uploaded(alice, await newPicture())
    const results = await Promise.allSettled([1, 2, 3].map((raw) => attach([id], { raw })))
    assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1)
  })
})

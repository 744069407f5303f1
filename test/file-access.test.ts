import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { questionsOf } from '#test/fixtures/questions.ts'
import { uploadPicture } from '#test/fixtures/uploads.ts'
import { createWorld, type Person } from '#test/world.ts'

const world = await createWorld()
const { as, guest, person, sql } = world
const { rich, answer, askForLooks, ask } = questionsOf(world)
const [alice, bob] = [await person(), await person()]

const asked = async (file: number, ...people: Person[]) => {
  const replies = [await guest('GET', `/files/${file}`)]
  for (const each of people) replies.push(await as(each, 'GET', `/files/${file}`))
  return replies.map(({ status }) => status)
}
const load = async (url: string) => {
  const { pathname, search } = new URL(url)
  return (await world.app.inject({ url: pathname + search })).statusCode
}
const addressOf = async (file: number, by: Person) => (await as(by, 'GET', `/files/${file}?json=1`)).body.url

let marks = 0
const publish = async (by: Person, images: number[]): Promise<number> => {
  marks += 1
  const body = { feed_content: 'Look', feed_from: 1, feed_mark: `files-${marks}`, images }
  const { status, body: made } = await as(by, 'POST', '/feeds', {
    ...body,
    images: images.map((id) => ({ id })),
  })
  assert.equal(status, 201, JSON.stringify(made))
  return made.id
}

describe('serves a file only when the viewer may read the content that uses the file (files-15)', () => {
  test('serves an unattached upload only to its owner', async () => {
    const form = new FormData()
    const file = await uploadPicture(world, alice)
    assert.deepEqual(await asked(file, bob, alice), [404, 404, 302])
    const bytes = await world.app.inject({ url: new URL(await addressOf(file, alice)).href })
    form.append('file', new Blob([new Uint8Array(bytes.rawPayload)]), 'picture.png')
    const encoded = new Response(form)
    const type = { 'content-type': encoded.headers.get('content-type') ?? '' }
    const sent = await as(alice, 'POST', '/files', Buffer.from(await encoded.arrayBuffer()), type)
    assert.deepEqual(Object.keys(sent.body).sort(), ['id', 'message', 'url'])
    assert.equal(await load(sent.body.url), 200)
    assert.equal(await load(sent.body.url.replace(`/${sent.body.id}?`, `/${file}?`)), 403)
  })

  test('stops serving a picture when its feed is deleted', async () => {
    const file = await uploadPicture(world, alice)
    const feed = await publish(alice, [file])
    assert.deepEqual(await asked(file, bob, alice), [302, 302, 302])
    const address = await addressOf(file, bob)
    assert.equal(await load(address), 200)
    assert.equal((await as(alice, 'DELETE', `/feeds/${feed}/currency`)).status, 204)
    assert.deepEqual(await asked(file, bob, alice), [404, 404, 404])
    assert.equal(await load(address), 404)
    const moderator = await person({ roles: ['founder'] })
    assert.deepEqual(await asked(file, moderator), [404, 302])
  })

  test('denies the picture of a deleted feed when an older version of Kith attached the picture', async () => {
    const file = await uploadPicture(world, alice)
    const feed = await publish(alice, [])
    await sql`update file_uses set channel = 'feed:image', raw = ${feed}, attached_at = now() where id = ${file}`
    assert.deepEqual(await asked(file), [302])
    await sql`update feeds set deleted_at = now() where id = ${feed}`
    assert.deepEqual(await asked(file, alice), [404, 404])
    await sql`update file_uses set channel = 'imported', raw = null where id = ${file}`
    assert.deepEqual(await asked(file), [302])
  })

  test('serves pictures of a paid answer only to users who may read the answer', async () => {
    const [anna, ben, cleo] = [await rich(500), await person(), await rich(150)]
    const question = await askForLooks(anna, ben)
    const file = await uploadPicture(world, ben)
    const id = await answer(ben, question, { body: `Here @![picture](${file})` })
    assert.deepEqual(await asked(file, cleo, anna, ben), [404, 404, 302, 302])
    assert.equal((await as(cleo, 'POST', `/question-answers/${id}/onlookers`)).status, 201)
    assert.deepEqual(await asked(file, cleo, bob), [404, 302, 404])
    const open = await uploadPicture(world, ben)
    await answer(ben, await ask(anna), { body: `Here @![picture](${open})` })
    assert.deepEqual(await asked(open, cleo), [302, 302])
  })

  test('issues short-lived URLs of certification documents', async (t) => {
    const [sender, clerk] = [await person(), await person({ roles: ['founder'] })]
    const file = await uploadPicture(world, sender)
    const early = await addressOf(file, sender)
    const body = { type: 'user', name: 'A', phone: '13900000000', number: '1', desc: 'Me', files: [file] }
    assert.equal((await as(sender, 'POST', '/user/certification', body)).status, 201)
    assert.deepEqual(await asked(file, bob, sender, clerk), [404, 404, 302, 302])
    // Without this rejection, URLs issued before the file became a certification document would stay valid
    // for hours.
    assert.equal(await load(early), 403)
    const own = (await as(sender, 'GET', '/user/certification')).body
    assert.deepEqual([own.files.length, own.files[0].id], [1, file])
    assert.equal(await load(own.files[0].url), 200)
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 6 * 60_000 })
    assert.equal(await load(own.files[0].url), 403)
  })
})

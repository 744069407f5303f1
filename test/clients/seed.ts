import assert from 'node:assert/strict'
import { createUser, hashPassword } from '#modules/accounts/index.ts'
import { issueToken } from '#modules/tokens/index.ts'
import { feedsOf } from '#test/fixtures/feeds.ts'
import { groupMaker } from '#test/fixtures/groups.ts'
import { createCategory, createNews, givePoints, newsEditor } from '#test/fixtures/news.ts'
import { questionsOf } from '#test/fixtures/questions.ts'
import { createSong, createSpecial, musicEditor } from '#test/fixtures/songs.ts'
import { topicsOf } from '#test/fixtures/topics.ts'
import { uploadPicture } from '#test/fixtures/uploads.ts'
import type { Person, World } from '#test/world.ts'

export type Seed = {
  reader: Person
  writer: Person
  values: Record<string, string | number | (() => string | number)>
}

const PHONE = '13700000001'
const PASSWORD = 'a password of a client'

export async function seedForClients(world: World): Promise<Seed> {
  const { as, person, sql } = world
  const feeds = feedsOf(world)
  const call = async (who: Person, method: 'POST' | 'PUT' | 'PATCH', path: string, body?: object) => {
    const answer = await as(who, method, path, body)
    assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  const writer = await person()
  const name = `client_${process.pid}`
  const id = await createUser(sql, { name, password: await hashPassword(PASSWORD), roles: ['owner'] })
  const { access_token: token } = await issueToken(sql, id)
  const reader: Person = { id, name, token }
  for (const each of [reader, writer]) await givePoints(world, each, 10_000)

  const topic = await topicsOf(world).createTopic(writer)
  const feed = await feeds.publish(writer, { topics: [topic] })
  const other = await feeds.publish(writer, { topics: [topic] })
  const own = await feeds.publish(reader, { topics: [topic] })
  const file = await uploadPicture(world, writer)
  const pictured = await feeds.publish(writer, { topics: [topic], images: [{ id: file }] })
  const priced = await uploadPicture(world, writer)
  const paid = await feeds.publish(writer, {
    topics: [topic],
    images: [{ id: priced, amount: 5, type: 'read' }],
  })
  const shown = (await as(writer, 'GET', `/feeds/${paid}`)).body
  for (const each of [feed, other, own, pictured, paid]) {
    await call(reader, 'POST', `/feeds/${each}/comments`, { body: `A comment on ${each}` })
  }
  const { comment } = await call(reader, 'POST', `/feeds/${feed}/comments`, { body: 'A comment to delete' })
  await call(reader, 'POST', `/feeds/${feed}/like`)
  await call(reader, 'POST', `/feeds/${feed}/new-rewards`, { amount: 3 })

  const editor = await newsEditor(world)
  const category = await createCategory(world, editor)
  const news = await createNews(world, editor, writer, { category_id: category })
  await createNews(world, editor, writer, { category_id: category })
  await call(reader, 'POST', `/news/${news}/likes`)
  await call(reader, 'POST', `/news/${news}/new-rewards`, { amount: 3 })

  const musician = await musicEditor(world)
  const song = await createSong(world, musician)
  await createSpecial(world, musician, { songs: [song] })
  const [singer] = await sql<[{ singer_id: number }]>`select singer_id from music_songs where id = ${song}`
  await call(musician, 'PATCH', `/admin/music/singers/${singer.singer_id}`, {
    cover: await uploadPicture(world, musician),
  })
  await sql`update users set phone = ${PHONE} where id = ${writer.id}`

  await questionsOf(world).ask(writer)
  await groupMaker(world).group(writer)

  return {
    reader,
    writer,
    values: {
      'reader.name': name,
      'writer.phone': PHONE,
      'reader.password': PASSWORD,
      reader: id,
      writer: writer.id,
      topic,
      feed,
      other_feed: other,
      own_feed: own,
      picture_feed: pictured,
      own_comment: comment.id,
      paid_node: shown.images[0].paid_node,
      news,
      song,
      mark: feeds.nextMark,
    },
  }
}

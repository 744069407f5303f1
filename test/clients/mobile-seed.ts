import assert from 'node:assert/strict'
import type { Seed } from '#test/clients/seed.ts'
import { feedsOf } from '#test/fixtures/feeds.ts'
import { groupMaker } from '#test/fixtures/groups.ts'
import { createCategory, createNews, createTag, newsEditor, setSettings } from '#test/fixtures/news.ts'
import { storePicture } from '#test/fixtures/nodes.ts'
import { questionsOf } from '#test/fixtures/questions.ts'
import { createSong, musicEditor } from '#test/fixtures/songs.ts'
import { topicsOf } from '#test/fixtures/topics.ts'
import { multipart, newPicture, uploadFilm, uploadPicture } from '#test/fixtures/uploads.ts'
import type { Person, World } from '#test/world.ts'

type Reply = Promise<Awaited<ReturnType<World['as']>>['body']>
type Call = (who: Person, method: 'POST' | 'PUT' | 'PATCH', path: string, body?: object) => Reply
type Scene = Seed & { world: World; call: Call }

export const callerOf =
  (world: World): Call =>
  async (who, method, path, body) => {
    const answer = await world.as(who, method, path, body)
    assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body
  }

export async function seedForMobile(world: World, seed: Seed) {
  const call = callerOf(world)
  const scene = { ...seed, world, call }
  const place = await seedGroupsAndAnswers(scene)
  const filled = await seedOptionalFields(scene, place.group)
  const asked = await seedRequests(scene, place.group, place.post)
  return { ...place, ...filled, ...asked }
}

async function seedGroupsAndAnswers({ world, reader, writer, values, call }: Scene) {
  const { as } = world
  const profile = { bio: 'Walks', location: 'Wuhan', avatar: await storePicture(world, writer) }
  assert.equal((await as(writer, 'PATCH', '/user', profile)).status, 204)
  await feedsOf(world).publish(reader, {
    feed_latitude: '30.5',
    feed_longtitude: '114.3',
    feed_geohash: 'wt3m',
    feed_mark: 990_001,
    repostable_type: 'news',
    repostable_id: values.news,
  })
  const groups = groupMaker(world)
  const group = await groups.group(reader, {
    avatar: await uploadPicture(world, reader),
    name: 'With a picture',
    allow_feed: 1,
    location: 'Wuhan',
    summary: 'We walk',
    notice: 'Sunday',
    longitude: '114.3',
    latitude: 30.5,
    geo_hash: 'wt3m',
  })
  await groups.join(group, reader, writer)
  const post = await groups.post(reader, group, { images: [await uploadPicture(world, reader)] })
  const { comment } = await call(writer, 'POST', `/group-posts/${post}/comments`, {
    body: 'A comment',
    reply_user: reader.id,
  })
  await call(writer, 'POST', `/group-posts/${post}/likes`)
  await call(writer, 'POST', `/group-posts/${post}/collections`)
  await call(writer, 'POST', `/group-posts/${post}/new-rewards`, { amount: 2 })
  await call(reader, 'PUT', `/group/posts/${post}/toggle-excellent`)
  await call(writer, 'POST', `/reports/posts/${post}`, { content: 'Look' })
  await call(writer, 'POST', `/reports/comments/${comment.id}`, { content: 'Look' })
  const questions = questionsOf(world)
  const question = await questions.ask(reader)
  const answer = await questions.answer(writer, question)
  await call(reader, 'POST', `/question-answers/${answer}/likes`)
  await call(reader, 'POST', `/question-answers/${answer}/new-rewards`, { amount: 2 })
  await call(reader, 'POST', `/user/question-answer/collections/${answer}`)
  await call(reader, 'POST', `/question-answers/${answer}/comments`, { body: 'A comment' })
  await call(reader, 'POST', `/news/${values.news}/comments`, { body: 'A comment' })
  await call(writer, 'POST', `/feeds/${values.own_feed}/like`)
  return { group, post, question, answer }
}

async function seedOptionalFields({ world, reader, writer, call }: Scene, group: number) {
  const { as, guest, sql } = world
  const tag = await createTag(world)
  await call(reader, 'PUT', `/user/tags/${tag}`)
  await sql`update users set email = 'reader@example.org', phone = '13700000002' where id = ${reader.id}`
  const badge = { type: 'user', icon: 'http://127.0.0.1/badge.png', description: 'A walker' }
  await sql`update users set verified = ${sql.json(badge)} where id = ${reader.id}`
  const background = await multipart([['image', await newPicture()]])
  const { status } = await as(reader, 'POST', '/user/bg', background.payload, background.headers)
  assert.equal(status, 204)

  const feeds = feedsOf(world)
  const video = { video_id: await uploadFilm(world, writer), cover_id: await uploadPicture(world, writer) }
  const film = await feeds.publish(writer, { video, feed_mark: 990_002 })
  await feeds.publish(writer, { amount: 5, feed_mark: 990_003 })
  const logo = await storePicture(world, writer)
  const pictured = await topicsOf(world).createTopic(writer, { name: 'With a logo', logo })
  const { comment } = await call(reader, 'POST', `/feeds/${film}/comments`, {
    body: 'A marked comment',
    comment_mark: 990_004,
  })
  const pins = `/feeds/${film}/comments/${comment.id}/currency-pinneds`
  await call(reader, 'POST', pins, { amount: 5, day: 3 })
  const [pin] = await sql<[{ id: number }]>`
    select id from pins where channel = 'feed:comment' and target_id = ${comment.id}`
  await call(writer, 'PATCH', `${pins}/${pin.id}`)

  const editor = await newsEditor(world)
  const category = await createCategory(world, editor)
  const article = await createNews(world, editor, editor, {
    category_id: category,
    from: 'The paper',
    image: await uploadPicture(world, editor),
    tags: [tag],
  })
  await setSettings(world, { 'site:currency-unit': 'p' })

  const musician = await musicEditor(world)
  const body = { lyric: 'La la', amount: 5, paid_type: 'listen' }
  const paidSong = await createSong(world, musician, { body })

  const { body: reports } = await as(reader, 'GET', `/plus-group/reports?group_id=${group}`)
  await call(reader, 'PATCH', `/plus-group/reports/${reports[0].id}/reject`, { cause: 'It is fine' })
  await call(reader, 'PUT', `/group/groups/${group}/bind-im-group`, { id: '77' })

  const founder = await world.person({ roles: ['founder'] })
  const { body: spaces } = await guest('GET', '/advertisingspace')
  const space_id = spaces.find(({ space }: { space: string }) => space === 'boot').id
  const data = { image: 'http://127.0.0.1/a.png' }
  await call(founder, 'POST', '/admin/advertising', { space_id, title: 'A', type: 'image', data })

  const questions = questionsOf(world)
  const avatar = await storePicture(world, founder)
  const about = await call(founder, 'POST', '/admin/question-topics', { name: 'With a picture', avatar })
  await call(reader, 'PUT', `/user/question-topics/${about.id}`)
  const asked = await questions.askForLooks(reader, writer, { body: 'I lost my watch' })
  const viewed = await questions.answer(writer, asked)
  await call(reader, 'PUT', '/user/notifications/all')
  return { film, pictured, article, paidSong, asked, viewed, space: space_id as number }
}

async function seedRequests({ world, reader, writer, values, call }: Scene, group: number, post: number) {
  const { as, person, sql } = world
  const groups = groupMaker(world)
  const founder = await person({ roles: ['founder'] })
  const bid = { amount: 5, day: 3 }
  const pinOf = async (channel: string, target: number): Promise<number> => {
    const [pin] = await sql<[{ id: number }]>`
      select id from pins where channel = ${channel} and target_id = ${target}`
    return pin.id
  }
  const pinComments = async (
    comments: string,
    request: (comment: number) => string,
    accept: (comment: number) => Promise<string>,
  ) => {
    for (const isAccepted of [true, false]) {
      const { comment } = await call(writer, 'POST', comments, { body: 'Pin this' })
      await call(writer, 'POST', request(comment.id), bid)
      if (isAccepted) await call(reader, 'PATCH', await accept(comment.id))
    }
  }

  const feedComments = `/feeds/${values.own_feed}/comments`
  const feedPins = (comment: number) => `${feedComments}/${comment}/currency-pinneds`
  await pinComments(
    feedComments,
    feedPins,
    async (comment) => `${feedPins(comment)}/${await pinOf('feed:comment', comment)}`,
  )
  const mention = `\u00AD@${reader.name}\u00AD`
  await call(writer, 'POST', '/feeds', { feed_content: `Hi ${mention}`, feed_from: 4, feed_mark: 990_020 })

  await call(founder, 'PATCH', '/admin/certifications/categories/org', {
    icon: 'https://example.org/badge.png',
    description: 'A company',
  })
  const certification = {
    type: 'org',
    name: 'Du Wei',
    phone: '18781993582',
    number: '51092219920420757X',
    desc: 'A writer',
    org_name: 'Kith Ltd',
    org_address: '1 Road',
    files: [await uploadPicture(world, reader)],
  }
  await call(reader, 'POST', '/user/certification', certification)
  const { body: sent } = await as(reader, 'GET', '/user/certification')
  await call(founder, 'PATCH', `/admin/certifications/${sent.id}/reject`, { reject_content: 'Blurred' })

  const editor = await newsEditor(world)
  const category = await createCategory(world, editor)
  const { id: story } = await call(reader, 'POST', `/news/categories/${category}/currency-news`, {
    title: 'My story',
    content: 'Once upon a time',
    tags: `${await createTag(world)}`,
    from: 'The paper',
    image: await uploadPicture(world, reader),
  })
  await call(editor, 'PATCH', `/admin/news/${story}`, { audit_status: 0 })
  // Updates the view counter directly, because the server writes views only after some seconds.
  await sql`update news_counts set hits = 10 where news_id = ${story}`
  await call(reader, 'POST', `/news/${story}/currency-pinneds`, bid)
  const storyPins = (comment: number) => `/news/${story}/comments/${comment}/currency-pinneds`
  await pinComments(
    `/news/${story}/comments`,
    storyPins,
    async (comment) => `${storyPins(comment)}/${await pinOf('news:comment', comment)}`,
  )

  await call(writer, 'POST', `/plus-group/currency-pinned/posts/${await groups.post(writer, group)}`, bid)
  const groupPins = (comment: number) => `/plus-group/currency-pinned/comments/${comment}`
  await pinComments(
    `/group-posts/${post}/comments`,
    groupPins,
    async (comment) => `${groupPins(comment)}/accept`,
  )
  const closed = await groups.group(reader, { name: 'By request', mode: 'private' })
  await groups.member(closed, reader)
  await call(writer, 'PUT', `/currency-groups/${closed}`)

  await call(founder, 'POST', `/admin/users/${writer.id}/wallet`, { amount: 1000, reason: 'test' })
  await call(writer, 'POST', '/plus-pay/transfer', { user: reader.id, amount: 50 })
  const order = { type: 'manual', amount: 300, from: 4 }
  const wallet = await call(reader, 'POST', '/walletRecharge/orders', order)
  const points = await call(reader, 'POST', '/currencyRecharge/orders', order)

  await call(writer, 'PUT', `/user/followings/${reader.id}`)
  await call(writer, 'POST', '/around-amap', { latitude: 30.5, longitude: 114.3 })
  await call(reader, 'PUT', '/user/checkin/currency')
  await call(reader, 'POST', '/user/feedback', {
    content: 'The sky is blue.',
    system_mark: 1_503_369_076_000,
  })
  await call(founder, 'POST', '/admin/app-versions', {
    type: 'android',
    version: '2.2.0',
    version_code: 220,
    description: 'Faster',
    link: 'https://app.example/a.apk',
  })
  const { body: received } = await as(reader, 'GET', '/user/notifications?type=comment')
  return {
    order,
    wallet: wallet.out_trade_no,
    points: points.out_trade_no,
    notification: received.data[0].id as string,
  }
}

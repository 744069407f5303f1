import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chatsOf } from '#test/fixtures/chats.ts'
import { feedsOf } from '#test/fixtures/feeds.ts'
import { groupMaker } from '#test/fixtures/groups.ts'
import { createCategory, createNews, newsEditor, setSettings } from '#test/fixtures/news.ts'
import { questionsOf } from '#test/fixtures/questions.ts'
import { uploadPicture } from '#test/fixtures/uploads.ts'
import { createWorld, type Person } from '#test/world.ts'

const world = await createWorld()
const { as, guest, person, sql } = world
const { publish, nextMark } = feedsOf(world)
const { ask, answer } = questionsOf(world)
const { group, join, post } = groupMaker(world)
const { pair, say } = chatsOf(world)

const mentionOf = ({ id, name }: Person) => ({ type: 'mention', user: id, name })
const treesOf = async (path: string, by?: Person) => {
  const url = `${path}${path.includes('?') ? '&' : '?'}trees=true`
  const { status, body } = by ? await as(by, 'GET', url) : await guest('GET', url)
  assert.equal(status, 200, JSON.stringify(body))
  return body
}
const told = async (who: Person) =>
  (
    await sql<{ sender_id: number; data: { resource: { type: string; id: number }; contents: string } }[]>`
      select sender_id, data from notifications where user_id = ${who.id} and type = 'at' order by seq`
  ).map(({ sender_id, data }) => [sender_id, data.resource.type, data.resource.id])
const rename = async (who: Person, name: string) => {
  await sql`update users set name = ${name}, name_key = ${name.toLowerCase()} where id = ${who.id}`
}

test('adds the tree of a text only on request (conventions-43)', async () => {
  const ann = await person()
  const id = await publish(ann, { feed_content: '看https://example.org/a！' })
  const plain = (await guest('GET', `/feeds/${id}`)).body
  assert.equal('feed_content_tree' in plain, false)
  const { feed_content, feed_content_tree } = await treesOf(`/feeds/${id}`)
  assert.equal(feed_content, '看https://example.org/a！')
  const link = { type: 'link', href: 'https://example.org/a', nodes: ['https://example.org/a'] }
  assert.deepEqual(feed_content_tree, ['看', link, '！'])
  const { feeds } = await treesOf(`/feeds?id=${id}`)
  assert.deepEqual(feeds[0].feed_content_tree, feed_content_tree)
})

test('notifies and links typed mentions in every kind of content (conventions-44)', async () => {
  const [ann, bob, founder] = [await person(), await person(), await person()]
  const text = `你好@${bob.name}，hi`
  const nodes = ['你好', mentionOf(bob), '，hi']
  const paragraph = [{ type: 'paragraph', nodes }]
  const feed = await publish(ann, { feed_content: text })
  assert.deepEqual((await treesOf(`/feeds/${feed}`)).feed_content_tree, nodes)
  const comment = await as(ann, 'POST', `/feeds/${feed}/comments`, { body: text })
  assert.equal(comment.status, 201)
  const { comments } = await treesOf(`/feeds/${feed}/comments`)
  assert.deepEqual(comments[0].body_tree, nodes)
  assert.deepEqual((await treesOf(`/feeds?id=${feed}`)).feeds[0].comments[0].body_tree, nodes)
  const question = await ask(ann, { body: text })
  assert.deepEqual((await treesOf(`/questions/${question}`)).body_tree, paragraph)
  const reply = await answer(ann, question, { body: text })
  assert.deepEqual((await treesOf(`/question-answers/${reply}`)).body_tree, paragraph)
  const club = await group(founder)
  await join(club, founder, ann)
  const thread = await post(ann, club, { title: 'T', body: text, summary: 'S' })
  assert.deepEqual((await treesOf(`/groups/${club}/posts/${thread}`)).body_tree, paragraph)
  const editor = await newsEditor(world)
  const category_id = await createCategory(world, editor)
  const article = await createNews(world, editor, ann, { category_id, content: text })
  assert.deepEqual((await treesOf(`/news/${article}`)).content_tree, paragraph)
  assert.deepEqual(await told(bob), [
    [ann.id, 'feeds', feed],
    [ann.id, 'comments', comment.body.comment.id],
    [ann.id, 'questions', question],
    [ann.id, 'question-answers', reply],
    [ann.id, 'group-posts', thread],
    [ann.id, 'news', article],
  ])
})

test('shows the current name of a mentioned user after a rename', async () => {
  const [ann, bob] = [await person(), await person()]
  const typed = await publish(ann, { feed_content: `@${bob.name}` })
  const chosen = await publish(ann, { feed_content: `\u00ad@${bob.name}\u00ad` })
  const before = bob.name
  await rename(bob, `re_${bob.id}`)
  const other = await person()
  await rename(other, before)
  for (const id of [typed, chosen])
    assert.deepEqual((await treesOf(`/feeds/${id}`)).feed_content_tree, [
      { type: 'mention', user: bob.id, name: `re_${bob.id}` },
    ])
})

test('links names between soft hyphens in texts without stored mentions', async () => {
  const [ann, bob] = [await person(), await person()]
  const id = await publish(ann, { feed_content: `\u00ad@${bob.name}\u00ad \u00ad@nobody_here\u00ad` })
  await sql`delete from mentions where content_type = 'feeds' and content_id = ${id}`
  assert.deepEqual((await treesOf(`/feeds/${id}`)).feed_content_tree, [mentionOf(bob), ' ', '@nobody_here'])
})

test('shows a mention of a disabled account as text', async () => {
  const [ann, bob] = [await person(), await person()]
  const id = await publish(ann, { feed_content: `hi @${bob.name}` })
  await sql`update users set deleted_at = now() where id = ${bob.id}`
  assert.deepEqual((await treesOf(`/feeds/${id}`)).feed_content_tree, [`hi @${bob.name}`])
})

test('rejects a typed mention of a user who blocks the author', async () => {
  const [ann, bob] = [await person(), await person()]
  await as(bob, 'POST', `/user/black/${ann.id}`)
  const question = await ask(ann)
  for (const [path, body] of [
    ['/feeds', { feed_content: `@${bob.name}`, feed_from: 5, feed_mark: nextMark() }],
    [`/questions/${question}/answers`, { body: `@${bob.name}` }],
  ] as const) {
    const { status, headers } = await as(ann, 'POST', path, body)
    assert.deepEqual([status, headers['x-error-code']], [403, 'blocked'])
  }
})

test('notifies only users whom an edit mentions for the first time (questions-28)', async () => {
  const [ann, bob, eve] = [await person(), await person(), await person()]
  const question = await ask(ann, { body: `@${bob.name}` })
  await sql`delete from notifications where user_id = ${bob.id}`
  const edit = await as(ann, 'PATCH', `/currency-questions/${question}`, {
    body: `@${bob.name} @${eve.name}`,
  })
  assert.equal(edit.status, 204, JSON.stringify(edit.body))
  assert.deepEqual([await told(bob), await told(eve)], [[], [[ann.id, 'questions', question]]])
  const [{ nodes }] = (await treesOf(`/questions/${question}`)).body_tree
  assert.deepEqual(nodes, [mentionOf(bob), ' ', mentionOf(eve)])
})

test('hides the author of an anonymous question from mentioned users', async () => {
  const [ann, bob] = [await person(), await person()]
  const question = await ask(ann, { body: `@${bob.name}`, anonymity: 1 })
  assert.deepEqual(await told(bob), [[0, 'questions', question]])
  const named = await ask(ann, { body: `@${bob.name}` })
  await as(ann, 'PATCH', `/currency-questions/${named}`, { anonymity: 1 })
  assert.deepEqual((await told(bob)).at(-1), [0, 'questions', named])
  const reply = await answer(ann, question, { body: `@${bob.name}` })
  assert.deepEqual((await told(bob)).at(-1), [ann.id, 'question-answers', reply])
  await as(ann, 'PATCH', `/question-answers/${reply}`, { anonymity: 1 })
  assert.deepEqual((await told(bob)).at(-1), [0, 'question-answers', reply])
})

test('mentions only members of the conversation in a message (im-12)', async () => {
  const [ann, bob, eve] = [await person(), await person(), await person()]
  const chat = await pair(ann, bob)
  const sent = await say(ann, chat, `@${bob.name}和@${eve.name}`)
  assert.deepEqual([sent.mentions, sent.body_tree], [[bob.id], [mentionOf(bob), `和@${eve.name}`]])
  const { body } = await as(ann, 'PATCH', `/chats/${chat}/messages/${sent.id}`, { body: `hi @${bob.name}` })
  assert.deepEqual(body.body_tree, ['hi ', mentionOf(bob)])
  const unnamed = await as(ann, 'PATCH', `/chats/${chat}/messages/${sent.id}`, { body: 'hi' })
  assert.deepEqual([unnamed.body.mentions, unnamed.body.body_tree], [[], ['hi']])
  await as(ann, 'PATCH', `/chats/${chat}/messages/${sent.id}`, { body: `@${bob.name}` })
  await as(ann, 'DELETE', `/chats/${chat}/messages/${sent.id}`)
  assert.equal(
    (await sql`select from mentions where content_type = 'chat-messages' and content_id = ${sent.id}`).length,
    0,
  )
})

test('links topics that a feed names, also after a rename (feeds-42)', async () => {
  const ann = await person()
  const name = `徒步${process.pid}`
  const topic = (await as(ann, 'POST', '/feed/topics', { name })).body.id
  await sql`update feed_topics set status = 'passed' where id = ${topic}`
  const id = await publish(ann, { feed_content: `周末去#${name}#吧 #no_such_topic` })
  const feed = await treesOf(`/feeds/${id}`)
  assert.deepEqual(feed.topics, [{ id: topic, name }])
  assert.deepEqual(feed.feed_content_tree, ['周末去', { type: 'topic', topic, name }, '吧 #no_such_topic'])
  await sql`update feed_topics set name = 'Hiking x', name_key = 'hiking x' where id = ${topic}`
  const renamed = await treesOf(`/feeds/${id}`)
  assert.deepEqual(renamed.feed_content_tree[1], { type: 'topic', topic, name: 'Hiking x' })
})

test('names no topic that the author or the reader may not see (feeds-42)', async () => {
  const [ann, bob] = [await person(), await person()]
  const name = `秘密${process.pid}`
  const topic = (await as(bob, 'POST', '/feed/topics', { name })).body.id
  await sql`update feed_topics set status = 'waiting' where id = ${topic}`
  const foreign = await treesOf(`/feeds/${await publish(ann, { feed_content: `#${name}` })}`)
  assert.deepEqual([foreign.topics, foreign.feed_content_tree], [[], [`#${name}`]])
  const own = await treesOf(`/feeds/${await publish(bob, { feed_content: `#${name}` })}`)
  assert.deepEqual([own.topics, own.feed_content_tree], [[], [`#${name}`]])
  const links = await sql`select from feed_topic_links where topic_id = ${topic}`
  assert.equal(links.length, 1)
})

test('names at most five topics, and none in the hidden part of a feed (feeds-42)', async () => {
  const ann = await person()
  const names = Array.from({ length: 6 }, (_, n) => `T${process.pid}x${n}`)
  for (const name of names) await as(ann, 'POST', '/feed/topics', { name })
  await sql`update feed_topics set status = 'passed' where creator_user_id = ${ann.id}`
  const all = await publish(ann, { feed_content: names.map((name) => `#${name}`).join(' ') })
  assert.equal((await treesOf(`/feeds/${all}`)).topics.length, 5)
  await setSettings(world, { 'feed:paycontrol': true, 'feed:pay-word-limit': 20 })
  const paid = await publish(ann, { feed_content: `${'x'.repeat(40)} #${names[0]}`, amount: 5 })
  assert.deepEqual((await treesOf(`/feeds/${paid}`, ann)).topics, [])
})

test('does not notify users outside a private group of an edited post (groups-20)', async () => {
  const [founder, member, stranger] = [await person(), await person(), await person()]
  const club = await group(founder)
  await join(club, founder, member)
  const thread = await post(founder, club, { title: 'T', body: 'x', summary: 'S' })
  await sql`update groups set mode = 'private' where id = ${club}`
  const body = `@${member.name} @${stranger.name}`
  const edit = await as(founder, 'PUT', `/groups/${club}/posts/${thread}`, { title: 'T', body, summary: 'S' })
  assert.ok(edit.status < 300, JSON.stringify(edit.body))
  assert.deepEqual([await told(member), await told(stranger)], [[[founder.id, 'group-posts', thread]], []])
})

test('adds the size of a picture that belongs to the text', async () => {
  const [ann, bob] = [await person(), await person()]
  const [mine, theirs] = [await uploadPicture(world, ann, 30, 20), await uploadPicture(world, bob, 31, 21)]
  const question = await ask(ann, { body: `@![a](${mine})@![b](${theirs})` })
  assert.deepEqual((await treesOf(`/questions/${question}`)).body_tree, [
    {
      type: 'paragraph',
      nodes: [
        { type: 'upload', file: mine, title: 'a', width: 30, height: 20 },
        { type: 'upload', file: theirs, title: 'b' },
      ],
    },
  ])
})

test('does not show the tree of an unpaid answer or of the hidden part of a feed', async () => {
  const { rich, askForLooks } = questionsOf(world)
  const [asker, invited, reader] = [await rich(), await person(), await person()]
  const question = await askForLooks(asker, invited)
  const id = await answer(invited, question, { body: `secret @${reader.name}` })
  const seen = await treesOf(`/question-answers/${id}`, reader)
  assert.deepEqual([seen.body, 'body_tree' in seen], [null, false])
  const [notice] = await sql<{ data: { contents: string } }[]>`
    select data from notifications where user_id = ${reader.id} and type = 'at'`
  assert.equal(notice?.data.contents, '')
})

test('previews a text as readers would see it', async () => {
  const [ann, bob] = [await person(), await person()]
  const { status, body } = await as(ann, 'POST', '/texts/preview', {
    text: `**hi** @${bob.name}`,
    format: 'markdown',
  })
  assert.equal(status, 200)
  assert.deepEqual(body.tree, [
    { type: 'paragraph', nodes: [{ type: 'strong', nodes: ['hi'] }, ' ', mentionOf(bob)] },
  ])
  assert.equal((await as(ann, 'POST', '/texts/preview', { text: 'x', format: 'html' })).status, 422)
})

test('deletes mentions with their content', async () => {
  const [ann, bob] = [await person(), await person()]
  const feed = await publish(ann)
  const comment = (await as(ann, 'POST', `/feeds/${feed}/comments`, { body: `@${bob.name}` })).body.comment
  const question = await ask(ann, { body: `@${bob.name}` })
  const left = () => sql`select from mentions where user_id = ${bob.id}`
  assert.equal((await left()).length, 2)
  await as(ann, 'DELETE', `/feeds/${feed}/comments/${comment.id}`)
  await as(ann, 'DELETE', `/currency-questions/${question}`)
  const editor = await newsEditor(world)
  const category_id = await createCategory(world, editor)
  const article = await createNews(world, editor, ann, { category_id, content: `@${bob.name}` })
  assert.equal((await as(editor, 'DELETE', `/admin/news/${article}`)).status, 204)
  assert.equal((await left()).length, 0)
  assert.deepEqual(await told(bob), [])
})

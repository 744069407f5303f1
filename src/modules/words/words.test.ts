import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { createSignals } from '#platform/database'
import { groupMaker } from '#test/fixtures/groups.ts'
import { certify, createCategory, newsEditor, setSettings } from '#test/fixtures/news.ts'
import { questionsOf } from '#test/fixtures/questions.ts'
import { createSong, musicEditor } from '#test/fixtures/songs.ts'
import { createWorld, type Person } from '#test/world.ts'
import { screenWords } from './service.ts'

const world = await createWorld()
const { as, guest, person, sql, ctx } = world
const { category, group, post } = groupMaker(world)
const { ask, answer, topic: questionTopic } = questionsOf(world)
const keeper = await person()
await sql`
  with role as (insert into roles (name) values ('word keeper') returning id),
  given as (insert into role_abilities (role_id, ability) select id, 'admin: sensitive words' from role)
  insert into user_roles (user_id, role_id) select ${keeper.id}, id from role`
const ANY = { properties: {} }
const admin = (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path = '', body?: object) =>
  as(keeper, method, `/admin/sensitive-words${path}`, body)
const add = async (body: object): Promise<number> => {
  const answer = await admin('POST', '', body)
  assert.equal(answer.status, 201, JSON.stringify(answer.body))
  return answer.body.id
}

describe('administration of sensitive words', () => {
  test('audits changes of sensitive words by users with the ability', async () => {
    assert.equal((await as(await person(), 'GET', '/admin/sensitive-words')).status, 403)
    assert.equal((await guest('GET', '/admin/sensitive-words')).status, 401)
    const id = await add({ word: 'Badger', type: 'replace', replace: 'mole' })
    const { created_at, updated_at, ...word } = (await admin('GET', `/${id}`)).body
    assert.match(created_at, /^\d{4}/)
    assert.match(updated_at, /^\d{4}/)
    assert.deepEqual(word, { id, word: 'Badger', type: 'replace', replace: 'mole' })
    await sql`insert into sensitive_words (word, word_key, type) values ('Heron', 'heron', 'replace')`
    const { body } = await admin('GET', '?q=BADG&type=replace')
    assert.deepEqual([body.total, body.data[0].id], [1, id])
    assert.equal((await admin('PATCH', `/${id}`, { replace: null })).status, 204)
    assert.equal((await admin('GET', `/${id}`)).body.replace, null)
    assert.equal((await admin('DELETE', `/${id}`)).status, 204)
    assert.equal((await admin('DELETE', `/${id}`)).status, 404)
    const actions = await sql`select action from audit_log where subject_type = 'sensitive-words' order by id`
    assert.deepEqual(
      actions.map(({ action }) => action),
      ['sensitive-words.create', 'sensitive-words.update', 'sensitive-words.delete'],
    )
  })

  test('includes each concurrent update in the `before` values of the next audit record of a word', async () => {
    const id = await add({ word: 'Zebrafinch', type: 'replace', replace: '0' })
    const replacements = Array.from({ length: 8 }, (_, n) => String(n + 1))
    const answers = await Promise.all(replacements.map((replace) => admin('PATCH', `/${id}`, { replace })))
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([204]))
    const log = await sql<{ before: { replace: string }; after: { replace: string } }[]>`
      select before, after from audit_log
      where subject_type = 'sensitive-words' and action = 'sensitive-words.update' and subject_id = ${String(id)}
      order by id`
    assert.deepEqual(
      log.map(({ before }) => before.replace),
      ['0', ...log.slice(0, -1).map(({ after }) => after.replace)],
    )
  })

  test('stores each word once regardless of case and width', async () => {
    const id = await add({ word: 'Wolf', type: 'warning' })
    const twice = await admin('POST', '', { word: 'ｗｏｌｆ', type: 'replace' })
    assert.deepEqual([twice.status, twice.headers['x-error-code']], [422, 'word_taken'])
    for (const [field, body] of [
      ['word', { type: 'warning' }],
      ['word', { word: '\u200b', type: 'warning' }],
      ['type', { word: 'x' }],
      ['type', { word: 'x', type: 'other' }],
    ] as const)
      assert.ok((await admin('POST', '', body)).body.errors[field], JSON.stringify(body))
    await admin('DELETE', `/${id}`)
  })
})

describe('words of type warning', () => {
  const refusedOn = async (
    who: Person,
    method: 'POST' | 'PATCH',
    path: string,
    body: Record<string, unknown>,
    field: string,
  ) => {
    const answer = await as(who, method, path, body)
    assert.equal(answer.status, 422, `${method} ${path}`)
    assert.deepEqual(Object.keys(answer.body.errors), [field])
    assert.equal(answer.headers['x-error-code'], 'sensitive_words')
    assert.ok(!JSON.stringify(answer.body).includes('orbidden'), 'tells the word')
  }

  test('rejects a forbidden word in content and in user names', async () => {
    const id = await add({ word: 'Forbidden', type: 'warning' })
    const me = await person()
    const text = 'so FORBIDDEN it is'
    await refusedOn(me, 'POST', '/feed/topics', { name: text }, 'name')
    await refusedOn(me, 'POST', '/feed/topics', { name: 'fine', desc: text }, 'desc')
    const topic = (await as(me, 'POST', '/feed/topics', { name: 'a fine topic' })).body.id
    await refusedOn(me, 'PATCH', `/feed/topics/${topic}`, { desc: text }, 'desc')
    const feed = { feed_from: 1, feed_mark: 1, feed_content: text }
    await refusedOn(me, 'POST', '/feeds', feed, 'feed_content')
    const song = await createSong(world, await musicEditor(world))
    await refusedOn(me, 'POST', `/music/${song}/comments`, { body: text }, 'body')
    const category = await createCategory(world, await newsEditor(world))
    await certify(world, me)
    await setSettings(world, { 'news:contribute:pay': false })
    const tags = '1'
    const path = `/news/categories/${category}/currency-news`
    await refusedOn(me, 'POST', path, { title: text, content: 'x', tags }, 'title')
    await refusedOn(me, 'POST', path, { title: 'x', content: text, tags }, 'content')
    const answer = await guest('POST', '/users', {
      name: 'Forbidden1',
      email: 'forbidden@example.org',
      verifiable_type: 'mail',
      verifiable_code: '123456',
    })
    assert.deepEqual([answer.status, Object.keys(answer.body.errors)], [422, ['name']])
    assert.equal(answer.headers['x-error-code'], 'sensitive_words')
    await admin('DELETE', `/${id}`)
    const allowed = await as(me, 'POST', `/music/${song}/comments`, { body: text })
    assert.equal(allowed.status, 201)
  })
})

describe('sensitive words in questions and groups', () => {
  test('rejects a word of type warning in the text fields of questions, answers and groups (feeds-35)', async () => {
    const id = await add({ word: 'Forbidden', type: 'warning' })
    const text = 'so FORBIDDEN it is?'
    const me = await person()
    const place = { location: text, longitude: 1, latitude: 1, geo_hash: 's00' }
    const question = await ask(me)
    const given = await answer(me, question)
    const groupId = await group(me)
    const written = await post(me, groupId)
    const [topic, kind] = [await questionTopic(), await category()]
    const asked = { subject: 'Why?', topics: [topic] }
    const posted = { title: 'One', body: 'Two', summary: 'Three' }
    const made = { name: 'A group', mode: 'public' }
    for (const [method, path, usual, fields] of [
      ['POST', '/questions', asked, { subject: text, body: text, text_body: text }],
      ['POST', '/currency-questions', asked, { subject: text }],
      ['PATCH', `/questions/${question}`, {}, { subject: text, body: text, text_body: text }],
      ['POST', `/questions/${question}/answers`, { body: 'So' }, { body: text, text_body: text }],
      ['PATCH', `/question-answers/${given}`, {}, { body: text, text_body: text }],
      [
        'POST',
        '/user/question-topics/application',
        { name: 'A', description: 'B' },
        { name: text, description: text },
      ],
      ['POST', `/questions/${question}/comments`, {}, { body: text }],
      ['POST', `/question-answers/${given}/comments`, {}, { body: text }],
      ['POST', `/categories/${kind}/groups`, made, { name: text, summary: text, notice: text }],
      ['POST', `/categories/${kind}/groups`, { ...made, ...place }, { location: text }],
      ['POST', `/groups/${groupId}`, {}, { name: text, summary: text, notice: text }],
      ['POST', `/groups/${groupId}`, place, { location: text }],
      ['POST', `/groups/${groupId}/posts`, posted, { title: text, body: text, summary: text }],
      ['PUT', `/groups/${groupId}/posts/${written}`, posted, { title: text, body: text, summary: text }],
      ['POST', `/group-posts/${written}/comments`, {}, { body: text }],
    ] as const)
      for (const [field, value] of Object.entries(fields)) {
        const reply = await as(me, method, path, { ...usual, [field]: value })
        assert.equal(reply.status, 422, `${method} ${path} ${field}`)
        assert.deepEqual(Object.keys(reply.body.errors), [field])
        assert.equal(reply.headers['x-error-code'], 'sensitive_words')
      }
    await admin('DELETE', `/${id}`)
  })

  test('stores a text with its sensitive words replaced', async () => {
    const id = await add({ word: 'darn', type: 'replace', replace: '****' })
    const me = await person()
    const question = await ask(me, { subject: 'What the darn?' })
    const given = await answer(me, question, { body: 'So darn it' })
    const groupId = await group(me)
    const written = await post(me, groupId, { body: 'All darn day' })
    assert.equal((await guest('GET', `/questions/${question}`)).body.subject, 'What the ****?')
    const { body } = await guest('GET', `/question-answers/${given}`)
    assert.deepEqual([body.body, body.text_body], ['So **** it', 'So **** it'])
    assert.equal((await guest('GET', `/groups/${groupId}/posts/${written}`)).body.body, 'All **** day')
    await admin('DELETE', `/${id}`)
  })
})

describe('words of type replace', () => {
  test('rejects a text that is empty or too long after replacement', async () => {
    const [one, two] = [
      await add({ word: 'darn', type: 'replace', replace: '****' }),
      await add({ word: '坏', type: 'replace' }),
    ]
    const me = await person()
    const song = await createSong(world, await musicEditor(world))
    const comment = (body: string) => as(me, 'POST', `/music/${song}/comments`, { body })
    assert.equal((await comment('Darn! 很坏的 DARN')).body.comment.body, '****! 很的 ****')
    const empty = await comment('坏坏')
    assert.deepEqual([empty.status, Object.keys(empty.body.errors)], [422, ['body']])
    await admin('PATCH', `/${one}`, { replace: 'x'.repeat(100) })
    assert.equal((await comment('darn darn')).body.comment.body.length, 201)
    const grown = await comment('darn darn darn')
    assert.deepEqual([grown.status, Object.keys(grown.body.errors)], [422, ['body']])
    await admin('DELETE', `/${one}`)
    await admin('DELETE', `/${two}`)
    assert.equal((await comment('darn')).body.comment.body, 'darn')
  })
})

test('applies a change of the word list on other nodes', async () => {
  const signals = createSignals(sql)
  await signals.listen()
  const other = { ...ctx, signals, state: new Map() }
  const input = { body: 'an otter swims' }
  assert.deepEqual(await screenWords(other, input, ANY, ['body']), input)
  const id = await add({ word: 'otter', type: 'replace', replace: 'seal' })
  const becomes = async (body: string) => {
    for (let tries = 0; (await screenWords(other, input, ANY, ['body'])).body !== body; tries += 1) {
      assert.ok(tries < 3000, `the text never becomes ${body}`)
      await wait(20)
    }
  }
  await becomes('an seal swims')
  await admin('DELETE', `/${id}`)
  await becomes(input.body)
  await signals.close()
})

test('finds a word in a text when the list has twenty thousand sensitive words', async () => {
  const text = 'word1x 中文的字 '.repeat(600)
  await sql`
    insert into sensitive_words (word, word_key, type)
    select 'w0rd' || n, 'w0rd' || n, 'warning' from generate_series(1, 19999) n`
  await add({ word: 'w0rd20000', type: 'warning' })
  assert.deepEqual(await screenWords(ctx, { body: text }, ANY, ['body']), { body: text })
  await assert.rejects(screenWords(ctx, { body: `${text}w0rd17000` }, ANY, ['body']))
})

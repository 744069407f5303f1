import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Caller, currentCaller, newCaller, onBehalfOf } from '#platform/database/callers.ts'
import { findFlags, type Overlay } from '#platform/pages/overlay.ts'
import { createWorld, type Person } from '#test/world.ts'

const world = await createWorld({ KEPT_PAGES_VERIFY: 'false' })
const { as, guest, person, sql } = world

const one = async (query: Promise<{ id: number }[]>) => (await query)[0]!.id
const ask = (who: Person) =>
  one(sql`
    insert into questions (user_id, subject, subject_key, subject_grams)
    values (${who.id}, 'q?', 'q?', '{}') returning id`)
const answer = async (who: Person, question: number, anonymity = false) => {
  const id = await one(sql`
    insert into answers (question_id, user_id, body, anonymity)
    values (${question}, ${who.id}, 'a', ${anonymity}) returning id`)
  await sql`update questions set answers_count = answers_count + 1 where id = ${question}`
  return id
}

test('answers are kept for viewers too, each with their own flags', async () => {
  const [ann, bob] = [await person(), await person()]
  const question = await ask(ann)
  const id = await answer(ann, question)
  const list = `/questions/${question}/answers`
  const seen = async (who: Person) => {
    const [{ liked, collected, user }] = (await as(who, 'GET', list)).body
    return [liked, collected, user.follower]
  }
  await as(bob, 'POST', `/question-answers/${id}/likes`)
  await as(bob, 'PUT', `/user/followings/${ann.id}`)
  assert.deepEqual(await seen(ann), [false, false, false])
  assert.deepEqual(await seen(bob), [true, false, true])
  await as(bob, 'POST', `/user/question-answer/collections/${id}`)
  assert.deepEqual(await seen(bob), [true, true, true])
  await as(bob, 'DELETE', `/question-answers/${id}/likes`)
  assert.deepEqual(await seen(bob), [false, true, true])
})

test('whoever answered as nobody sees themselves, and nobody else does, in whatever order they read', async () => {
  const [ann, bob] = [await person(), await person()]
  const question = await ask(ann)
  await answer(bob, question, true)
  const author = async (who: Person) =>
    (await as(who, 'GET', `/questions/${question}/answers`)).body[0].user_id
  for (let round = 0; round < 2; round += 1) {
    assert.equal(await author(ann), 0)
    assert.equal(await author(bob), bob.id)
    assert.equal((await guest('GET', `/questions/${question}/answers`)).body[0].user_id, 0)
  }
  // The list of questions, which shows the newest answer of each.
  const listed = async (who: Person) =>
    (await as(who, 'GET', `/questions?type=all&id=${question}`)).body[0].answer.user_id
  assert.deepEqual([await listed(ann), await listed(bob), await listed(ann)], [0, bob.id, 0])
})

test('the questions that somebody watches are theirs alone', async () => {
  const [ann, bob] = [await person(), await person()]
  const question = await ask(ann)
  await as(bob, 'PUT', `/user/question-watches/${question}`)
  const watched = async (who: Person) =>
    (await as(who, 'GET', '/questions?type=follow')).body.map((each: { id: number }) => each.id)
  assert.deepEqual([await watched(ann), await watched(bob), await watched(ann)], [[], [question], []])
})

test('many viewers at once get each their own flags', async () => {
  const ann = await person()
  const { body } = await as(ann, 'POST', '/feeds', { feed_content: 'x', feed_from: 1, feed_mark: 'x' })
  const viewers = await Promise.all(Array.from({ length: 20 }, () => person()))
  const fans = new Set(viewers.filter((_, n) => n % 3 === 0))
  const blocking = viewers[1]!
  await Promise.all([...fans].map((fan) => as(fan, 'POST', `/feeds/${body.id}/like`)))
  await as(blocking, 'POST', `/user/black/${ann.id}`)
  const seen = async (who: Person) => {
    const { feeds } = (await as(who, 'GET', `/feeds?id=${body.id}`)).body
    return feeds[0]?.has_like ?? false
  }
  await Promise.all(viewers.map(seen))
  // The pages of who blocks are their own.
  const others = viewers.filter((each) => each !== blocking)
  const found = await Promise.all(others.map(seen))
  assert.deepEqual(
    found,
    others.map((each) => fans.has(each)),
  )
  assert.deepEqual(
    await Promise.all(viewers.map(seen)),
    viewers.map((each) => fans.has(each)),
  )
})

test('whoever asks for several pages at once gets the flags of each', async () => {
  const ann = await person()
  const feeds = await Promise.all(
    ['one', 'two', 'three'].map(async (mark) => {
      const made = await as(ann, 'POST', '/feeds', { feed_content: mark, feed_from: 1, feed_mark: mark })
      return made.body.id as number
    }),
  )
  const viewers = await Promise.all(Array.from({ length: 8 }, () => person()))
  const likes = viewers.map((_, n) => feeds.filter((_, at) => (n + 1) & (1 << at)))
  for (const [n, liked] of likes.entries())
    for (const id of liked) await as(viewers[n] as Person, 'POST', `/feeds/${id}/like`)
  const flag = async (who: Person, id: number) =>
    (await as(who, 'GET', `/feeds?id=${id}`)).body.feeds[0].has_like as boolean
  for (let round = 0; round < 3; round += 1) {
    const found = await Promise.all(viewers.map((who) => Promise.all(feeds.map((id) => flag(who, id)))))
    assert.deepEqual(
      found,
      likes.map((liked) => feeds.map((id) => liked.includes(id))),
    )
  }
})

test('what several ask at once is asked on behalf of none of them: who goes away takes nothing from the others', async () => {
  const callers: (Caller | undefined)[] = []
  const overlay: Overlay = {
    flags: {
      is_even(db, viewer, id) {
        callers.push(currentCaller())
        return db`${viewer} > 0 and ${id} % 2 = 0`
      },
    },
    unless: [],
  }
  const ids = new Map([['is_even', [1, 2, 3]]])
  const gone: Caller = { ...newCaller(), keys: ['user:1'], userId: 1, isGone: true }
  const found = await Promise.all([
    onBehalfOf(gone, () => findFlags(sql, overlay, 1, ids)),
    ...[2, 3, 4].map((viewer) => findFlags(sql, overlay, viewer, ids)),
  ])
  for (const flags of found) assert.deepEqual([...(flags?.get('is_even') ?? [])], [2])
  assert.ok(callers.length >= 2)
  for (const caller of callers) assert.deepEqual(caller, { ...newCaller(), isAdmitted: caller?.isAdmitted })
})

test('a like is seen by who gave it while others read, however their flags are looked up', async () => {
  const [ann, bob] = [await person(), await person()]
  const { body } = await as(ann, 'POST', '/feeds', { feed_content: 'x', feed_from: 1, feed_mark: 'y' })
  const hasLike = async (who: Person) => (await as(who, 'GET', `/feeds?id=${body.id}`)).body.feeds[0].has_like
  for (let round = 0; round < 15; round += 1) {
    const isLiked = round % 2 === 0
    const others = Array.from({ length: 6 }, () => hasLike(bob))
    await as(
      ann,
      isLiked ? 'POST' : 'DELETE',
      isLiked ? `/feeds/${body.id}/like` : `/feeds/${body.id}/unlike`,
    )
    assert.equal(await hasLike(ann), isLiked)
    assert.ok((await Promise.all(others)).every((each) => !each))
  }
})

test('a song that is kept counts a play for each listener, and answers 201', async () => {
  const singer = await one(sql`
    insert into music_singers (name, name_key, name_grams) values ('s', 's', '{}') returning id`)
  const song = await one(sql`
    with made as (
      insert into music_songs (title, title_key, title_grams, singer_id, last_time)
      values ('s', 's', '{}', ${singer}, 1) returning id),
    counted as (insert into music_song_counts (song_id) select id from made) select id from made`)
  const listen = async (who: Person) => {
    const { status, body } = await as(who, 'GET', `/music/${song}`)
    assert.equal(status, 201)
    return body.taste_count
  }
  const [ann, bob] = [await person(), await person()]
  assert.deepEqual([await listen(ann), await listen(ann), await listen(bob), await listen(ann)], [1, 1, 2, 2])
  assert.equal((await guest('GET', `/music/${song}`)).body.taste_count, 3)
  assert.equal((await guest('GET', `/music/${song}`)).body.taste_count, 3)
  assert.equal((await as(ann, 'GET', '/music/999999')).status, 404)
})

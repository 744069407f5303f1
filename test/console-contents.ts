import assert from 'node:assert/strict'
import type { Console } from '#test/console-browser.ts'
import { signUpsOn } from '#test/sign-up.ts'
import type { Answer, Person } from '#test/world.ts'

export type Contents = { writer: Person; other: Person; waiting: Record<string, number> }

const made = (answer: Answer): Answer['body'] => {
  assert.ok(answer.status < 300, JSON.stringify(answer.body))
  return answer.body
}

export async function fillConsole(world: Console): Promise<Contents> {
  const { as, person, founder, sql } = world
  const founding = async (method: 'POST' | 'PATCH' | 'PUT', path: string, body?: unknown) =>
    made(await as(founder, method, path, body))
  await founding('PATCH', '/admin/settings', {
    'feed:topic:need-review': true,
    'news:contribute:verified': false,
    'news:contribute:pay': false,
  })
  const [writer, other] = [await person(), await person()]
  for (const { id } of [writer, other])
    for (const currency of ['points', 'wallet'])
      await founding('POST', `/admin/users/${id}/${currency}`, { amount: 50_000, reason: 'to begin with' })
  const writing = async (method: 'POST' | 'PUT', path: string, body?: unknown) =>
    made(await as(writer, method, path, body))

  await writing('POST', '/feed/topics', { name: 'Waiting topic', desc: 'About waiting' })
  const feed = await writing('POST', '/feeds', { feed_content: 'A feed', feed_from: 1, feed_mark: 1 })
  made(await as(other, 'POST', `/feeds/${feed.id}/comments`, { body: 'A comment' }))
  await writing('POST', `/feeds/${feed.id}/currency-pinneds`, { amount: 100, day: 1 })
  made(await as(other, 'POST', `/feeds/${feed.id}/reports`, { reason: 'Spam' }))
  const category = await founding('POST', '/admin/news/categories', { name: 'City' })
  const tags = await founding('POST', '/admin/tag-categories', { name: 'Interests' })
  const tag = await founding('POST', '/admin/tags', { name: 'cycling', tag_category_id: tags.id })
  await founding('POST', '/admin/news', { title: 'Old news', content: 'Text', category_id: category.id })
  const contribution = {
    title: 'A contribution',
    content: 'Its **text**',
    subject: 'Summary',
    tags: String(tag.id),
    author: 'W',
  }
  const contribute = `/news/categories/${category.id}/currency-news`
  await writing('POST', contribute, contribution)
  await founding('PATCH', '/admin/settings', { 'news:contribute:pay': true, 'news:pay-contribute': 100 })
  const paid = {
    title: 'Paid in vain',
    subject: 'Summary',
    tags: String(tag.id),
    author: 'W',
    content: 'Text',
  }
  await writing('POST', contribute, paid)
  const [refunded] = (await as(founder, 'GET', '/admin/news?q=vain')).body.data
  await writing('PUT', `/news/categories/${category.id}/news/${refunded.id}`)
  await founding('PATCH', '/admin/settings', { 'news:contribute:pay': false })
  await writing('POST', '/plus-pay/cashes', { value: 1000, type: 'alipay', account: 'someone@example.org' })
  await writing('POST', '/plus-pay/recharge', { amount: 5000, type: 'manual' })
  await founding('POST', '/admin/question-topics', { name: 'Cooking', description: 'Food' })
  await writing('POST', '/user/question-topics/application', { name: 'Gardening', description: 'Plants' })
  const [topic] = await sql<{ id: number }[]>`select id from question_topics limit 1`
  const question = await writing('POST', '/questions', {
    subject: 'Why?',
    body: 'Tell',
    topics: [{ id: topic?.id }],
  })
  await writing('POST', `/user/currency-question-application/${question.question.id}`)
  const groups = await founding('POST', '/admin/group-categories', { name: 'Sports' })
  const place = { location: 'Harbour', longitude: '120.1', latitude: '30.2', geo_hash: 'wtmk' }
  await writing('POST', `/categories/${groups.id}/groups`, {
    ...{ name: 'Cyclists', mode: 'public', summary: 'On Sundays', tags: [{ id: tag.id }] },
    ...place,
  })
  await founding('POST', '/admin/music/singers', { name: 'Aurora Lane' })
  await founding('POST', '/admin/sensitive-words', { word: 'badword', type: 'replace', replace: '***' })
  await founding('POST', '/admin/webhooks', { url: 'https://example.org/hook', description: 'Mirror' })
  await founding('POST', '/admin/notices', { all: true, contents: 'Maintenance on Sunday' })
  await writing('POST', '/user/feedback', { content: 'Dark mode please' })
  const loud = await person()
  const silence = { kind: 'silence', reason: 'Too loud', hours: 24 }
  await founding('POST', `/admin/users/${loud.id}/sanctions`, silence)
  made(await as(loud, 'POST', '/user/appeals', { contents: 'I only sang' }))
  await founding('PATCH', '/admin/settings', { 'register:type': 'approval' })
  const joining = await signUpsOn(world).register({ name: 'newcomer', password: 'a password' })
  assert.ok(joining.status < 300, JSON.stringify(joining.body))
  await founding('PATCH', '/admin/settings', { 'register:type': 'all' })
  const waiting = made(await as(founder, 'GET', '/admin/statistics/waiting'))
  return {
    writer,
    other,
    waiting: Object.fromEntries(
      waiting.data.map(({ name, count }: { name: string; count: number }) => [name, count]),
    ),
  }
}

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Server } from '#platform/http'
import type { Answer } from '#test/world.ts'
import { createDice } from './fixtures/dice.ts'
import type { Operation } from './fuzz/operations.ts'
import { playRound } from './fuzz/play.ts'
import { createPools, kindOfField, kindOfParameter, kindsOfPath } from './fuzz/pools.ts'
import { createReplyCheck } from './fuzz/replies.ts'
import { createTally } from './fuzz/tally.ts'

const REQUESTS = 500
/** About a fifth of the operations. The rest needs more requests, which `npm run dev -- fuzz` sends. */
const LEAST_SUCCEEDED = 140

test(`answers ${REQUESTS} requests with ids from earlier replies without faults`, async (t) => {
  const tally = createTally([], (line) => t.diagnostic(line))
  await playRound({ seed: 1, length: REQUESTS, tally })
  for (const line of tally.lines().slice(0, 4)) t.diagnostic(line)
  assert.deepEqual([...tally.faults], [])
  assert.equal(tally.requests, REQUESTS)
  assert.ok(tally.succeeded >= LEAST_SUCCEEDED, `only ${tally.succeeded} operations succeeded`)
})

describe('finds faults of replies', () => {
  const operation = { method: 'GET', path: '/api/v2/things' } as Operation
  const json = (schema: object) => ({ content: { 'application/json': { schema } } })
  const app = {
    swagger: () => ({
      paths: {
        '/api/v2/things': {
          get: {
            responses: {
              200: json({ $ref: '#/components/schemas/Thing' }),
              204: {},
              404: { $ref: '#/components/responses/not_found' },
              default: json({}),
            },
          },
        },
      },
      components: {
        schemas: { Thing: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } } },
        responses: { not_found: json({ type: 'object', required: ['message'] }) },
      },
    }),
  } as unknown as Server
  const check = createReplyCheck(app)
  const faultOf = (status: number, body: unknown, type = 'application/json; charset=utf-8') =>
    check(operation, { status, body, headers: { 'content-type': type } } as Answer)?.fault

  test('accepts declared replies', () => {
    assert.equal(faultOf(200, { id: 1 }), undefined)
    assert.equal(faultOf(204, null), undefined)
    assert.equal(faultOf(404, { message: 'No.' }), undefined)
  })
  test('reports a 5xx', () => assert.equal(faultOf(500, { message: 'Sorry' }), 'a 5xx'))
  test('reports a status that only `default` declares', () =>
    assert.equal(faultOf(401, { message: 'No.' }), 'an undeclared status'))
  test('reports a body of another schema or content type', () => {
    assert.equal(faultOf(200, { id: 'one' }), 'a schema violation')
    assert.equal(faultOf(200, null), 'a schema violation')
    assert.equal(faultOf(200, '<p>', 'text/html'), 'a schema violation')
    assert.equal(faultOf(404, {}), 'a schema violation')
  })
})

describe('takes ids from replies', () => {
  test('names the kind of ids by parameter, field and path', () => {
    assert.equal(
      kindOfParameter('/api/v2/news/categories/{category}/news/{news}', 'category'),
      'news-category',
    )
    assert.equal(kindOfParameter('/api/v2/admin/music/songs/{id}', 'id'), 'music')
    assert.equal(kindOfParameter('/api/v2/question-topics/{topic}', 'topic'), 'question-topic')
    assert.equal(kindOfField('/api/v2/feeds', 'topics'), 'topic')
    assert.equal(kindOfField('/api/v2/feeds', 'reply_user'), 'user')
    assert.deepEqual(kindsOfPath('/api/v2/pinned/comments/{comment}/accept'), ['post', 'comment'])
  })
  test('fills a path with ids that one reply names together', () => {
    const pools = createPools(createDice(1))
    const path = '/api/v2/feeds/{feed}/comments'
    for (const feed of [1, 2]) pools.learn(path, { feed }, { comments: [{ id: feed * 10, user_id: 7 }] }, 5)
    const { feed, comment, user, reader } = pools.fill(['feed', 'comment']) ?? {}
    assert.equal(comment, Number(feed) * 10)
    assert.deepEqual([user, reader], [7, 5])
    assert.equal(pools.fill(['feed', 'order']), undefined)
  })
})

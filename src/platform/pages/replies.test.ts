import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newCaller, onBehalfOf } from '#platform/database/callers.ts'
import { routesOn } from '#platform/http/route.ts'
import { Type } from '#platform/schema.ts'
import { createWorld } from '#test/world.ts'

let made = 0
const { as, ctx, guest, person, sql } = await createWorld(
  { KEPT_PAGES_VERIFY: 'true' },
  {
    routes(server, ctx) {
      const { sql } = ctx
      const route = routesOn(server, ctx, { tag: 'Feeds' })
      const reply = { 200: Type.Object({ text: Type.String() }) }
      const common = { access: 'optional', kept: 'each', summary: 'For this test.', reply } as const
      const stored = async () => {
        const [row] = await sql<
          [{ text: string }]
        >`select place as text from backup_runs order by id desc limit 1`
        return { text: row.text }
      }
      route('GET /stored', { ...common, operationId: 'stored', handler: stored })
      route('GET /written-meanwhile', {
        ...common,
        operationId: 'writtenMeanwhile',
        async handler() {
          made += 1
          if (made === 2)
            await onBehalfOf(newCaller(), () => sql`update backup_runs set place = 'written'`.then(() => {}))
          return stored()
        },
      })
      route('GET /unknown', {
        ...common,
        operationId: 'unknown',
        async handler({ request }) {
          made += 1
          return { text: `${request.method} ${made}` }
        },
      })
      route('GET /sends', {
        ...common,
        operationId: 'sends',
        async handler({ reply }) {
          return reply.type('text/plain').send('sent by itself') as never
        },
      })
    },
  },
)
await sql`insert into backup_runs (place, bytes, seconds) values ('as it was', 1, 1)`
const read = async (path: string) => {
  const { status, body } = await guest('GET', `/test/${path}`)
  return [status, body.text]
}

test('a page that is found is made again and compared, where that is asked for', async () => {
  for (let time = 1; time <= 2; time += 1) assert.deepEqual(await read('stored'), [200, 'as it was'])
  assert.match(await ctx.metrics.render(), /http_kept_pages_total\{event="compared"\} 2/)
  const ann = await person()
  assert.equal((await as(ann, 'GET', '/test/stored')).body.text, 'as it was')
})

test('what was written while a page was compared is no fault of the page', async () => {
  made = 0
  assert.deepEqual(await read('written-meanwhile'), [200, 'as it was'])
  assert.deepEqual(await read('written-meanwhile'), [200, 'written'])
})

test('what is made of something that nobody tells of is made for each who asks', async () => {
  made = 0
  assert.deepEqual(await read('unknown'), [200, 'GET 1'])
  const [status, text] = await read('unknown')
  assert.equal(status, 200)
  assert.notEqual(text, 'GET 1')
})

test('a handler that sends its answer itself has sent it, and nothing of it is kept', async () => {
  for (let time = 1; time <= 2; time += 1) {
    const { status, body } = await guest('GET', '/test/sends')
    assert.deepEqual([status, body], [200, 'sent by itself'])
  }
})

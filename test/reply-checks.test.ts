import assert from 'node:assert/strict'
import { test } from 'node:test'
import { apiError } from '#platform/errors.ts'
import { routesOn, Type } from '#platform/http'
import { createWorld } from '#test/world.ts'

const declared = apiError(403, 'declared', 'No.', '不行。')
const { guest } = await createWorld(
  {},
  {
    routes(server, ctx) {
      const route = routesOn(server, ctx, { tag: 'Accounts' })
      const add = (name: string, handler: () => never) =>
        route(`GET /${name}`, {
          operationId: name,
          summary: name,
          access: 'public',
          fresh: true,
          reply: { 200: Type.Object({ a: Type.Array(Type.Object({ b: Type.Integer() })) }) },
          errors: [declared],
          handler,
        })
      add('right', () => ({ a: [{ b: 1 }] }) as never)
      add('field', () => ({ a: [{ b: 1, c: 2 }] }) as never)
      add('error', () => {
        throw declared()
      })
      add('code', () => {
        throw apiError(403, 'other', 'No.', '不行。')()
      })
      add('extra', () => {
        throw declared({ extra: { amount: 1 } })
      })
    },
  },
)

test('returns 500 in tests when a response differs from its documentation', async () => {
  const statusOf = async (name: string) => (await guest('GET', `/test/${name}`)).status
  assert.equal(await statusOf('right'), 200)
  assert.equal(await statusOf('error'), 403)
  for (const name of ['field', 'code', 'extra']) assert.equal(await statusOf(name), 500, name)
})

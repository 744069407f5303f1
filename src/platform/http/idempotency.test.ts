import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { notFound } from '#platform/errors.ts'
import { createWorld } from '#test/world.ts'
import { withIdempotencyKey } from './idempotency.ts'

let lookups = 0
const { ctx, person } = await createWorld(
  {},
  {
    onQuery: ({ text }) => {
      if (/^\s*select .* from idempotency_keys/s.test(text)) lookups += 1
    },
  },
)

const paymentWith = async (key: string) => {
  const { id } = await person()
  return {
    method: 'POST',
    headers: { 'idempotency-key': key },
    viewer: { id },
    params: {},
    body: {},
    routeOptions: { config: { documented: { operation: 'POST /transfer' } } },
  } as unknown as FastifyRequest
}

test('repeats the lookup of a stored reply after a 404 but not after a connection error', async () => {
  const request = await paymentWith('tried once')
  const countLookups = async (failure: Error) => {
    lookups = 0
    const tried = withIdempotencyKey(ctx, request, {} as FastifyReply, 201, () => Promise.reject(failure))
    await assert.rejects(async () => tried, failure)
    return lookups
  }
  assert.equal(await countLookups(Object.assign(new Error('lost'), { code: 'CONNECT_TIMEOUT' })), 1)
  // Repeats the lookup after a 404, because a concurrent request with the key may have stored a reply.
  assert.equal(await countLookups(notFound()), 2)
})

test('replays the stored reply when a concurrent request with the key made the checks fail', async () => {
  const request = await paymentWith('sent twice')
  const answer = async (respond: Parameters<typeof withIdempotencyKey>[4]) => {
    const told: unknown[] = []
    const reply = {
      header: (name: string, value: string) => void told.push(name, value),
      code: (status: number) => ({ send: (body: unknown) => void told.push(status, body) }),
    }
    await withIdempotencyKey(ctx, request, reply as unknown as FastifyReply, 201, respond)
    return told
  }
  const told = await answer(async () => {
    const first = await answer((atomically) => atomically(async () => ({ paid: 1 })))
    assert.deepEqual(first, [201, { paid: 1 }])
    throw notFound()
  })
  assert.deepEqual(told, ['Idempotency-Replayed', 'true', 201, { paid: 1 }])
})

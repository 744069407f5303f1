import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '#platform/context.ts'

/** Runs the work of a route that may read from a replica; whatever fails there is done once more on the primary. */
export async function readAnywhere<T>(
  { replicas }: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  work: () => Promise<T>,
): Promise<T> {
  const { caller } = request
  if (!replicas || !caller) return work()
  const send = await replicas.choose(request.viewer?.id ?? 0)
  if (!send) {
    replicas.count('primary')
    return work()
  }
  let isUsed = false
  caller.replica = (query) => {
    isUsed = true
    send(query)
  }
  try {
    const body = await work()
    replicas.count(isUsed ? 'replica' : 'primary')
    return body
  } catch (error) {
    caller.replica = undefined
    if (!isUsed || reply.sent) throw error
    replicas.count('fallback')
    return await work()
  } finally {
    caller.replica = undefined
  }
}

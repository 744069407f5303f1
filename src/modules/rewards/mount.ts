import type { FastifyReply, FastifyRequest } from 'fastify'
import { publishEvent } from '#modules/notifications/index.ts'
import { type Content, type Counts, hidesOwner, type Target } from '#platform/content.ts'
import type { Context } from '#platform/context.ts'
import { notFound } from '#platform/errors.ts'
import { type Server, say, viewerId, viewerOf } from '#platform/http.ts'
import { once } from '#platform/idempotency.ts'
import { Id, Message, Type } from '#platform/schema.ts'
import { listRewards, type RewardRow, sumRewards } from './queries.ts'
import { Reward, RewardBody, RewardQuery, RewardSum } from './schema.ts'
import { admitGiver, give, type RewardNotice } from './service.ts'
import { withGivers } from './view.ts'

export type RewardOptions = {
  /** Where POST is answered, such as `/feeds/:feed/new-rewards`; more than one for what has an alias. */
  create: string[]
  /** Where GET lists the rewards. */
  list?: string
  /** Where GET sums them up. */
  sum?: string
  /** What the owner is told. */
  notice: RewardNotice
  /** The switches that must be on besides that of the site. */
  switches?: 'feed:reward'[]
  /** Keeps the counters of rewards of the thing; `by` is the amount given. */
  count?: Counts
  /** What is thrown when the giver has less; absent: 403. */
  poor?: () => Error
  /** The list's default page size where it is not 15. */
  pageSize?: number
}

const withoutOwner = (row: RewardRow): RewardRow => ({ ...row, target_user: 0 })

/** Offers to give points to who published things of one kind. */
export function mountRewards(server: Server, ctx: Context, content: Content, options: RewardOptions): void {
  const { sql } = ctx
  const tags = [content.tag]
  const params = Type.Object({ [content.param]: Id })
  const switches = ['site:reward' as const, ...(options.switches ?? [])]
  const find = async (request: FastifyRequest): Promise<Target> => {
    const id = (request.params as Record<string, number>)[content.param]!
    const target = await content.find(sql, id, viewerId(request))
    if (!target) throw notFound()
    return target
  }
  const admit = async (request: FastifyRequest, reply: FastifyReply) => {
    const target = await find(request)
    await admitGiver(ctx, request, reply, target, switches)
    return target
  }

  for (const path of options.create)
    server.post(
      path,
      {
        config: { access: 'user', before: admit },
        schema: { tags, summary: 'Reward with points', params, body: RewardBody, response: { 201: Message } },
      },
      (request, reply) =>
        once(ctx, request, reply, async (atomically) => {
          const target = await admit(request, reply)
          return atomically(async (tx) => {
            const { amount } = request.body
            await give(tx, content, target, {
              from: viewerOf(request).id,
              amount,
              notice: options.notice,
              ...(options.count ? { count: options.count } : {}),
              ...(options.poor ? { poor: options.poor } : {}),
            })
            await publishEvent(ctx, tx, 'reward.created', {
              rewardable: { type: content.type, id: target.id },
              user_id: viewerOf(request).id,
              amount,
            })
            return { status: 201, body: say(request, 'Rewarded.', '打赏成功。') }
          })
        }),
    )

  if (options.list !== undefined)
    server.get(
      options.list,
      {
        config: { access: 'optional', before: find },
        schema: {
          tags,
          summary: 'List rewards',
          params,
          querystring: RewardQuery(options.pageSize),
          response: { 200: Type.Array(Reward) },
        },
      },
      async (request) => {
        const target = await find(request)
        const viewer = viewerId(request)
        const rows = await listRewards(sql, content.type, target.id, request.query)
        return withGivers(ctx, hidesOwner(target, viewer) ? rows.map(withoutOwner) : rows, viewer)
      },
    )

  if (options.sum !== undefined)
    server.get(
      options.sum,
      {
        config: { access: 'optional' },
        schema: { tags, summary: 'How much was given', params, response: { 200: RewardSum } },
      },
      async (request) => {
        const { id } = await find(request)
        return (await sumRewards(sql, content.type, [id])).get(id) ?? { count: 0, amount: null }
      },
    )
}

import { checkPaymentPassword, peopleOverlay } from '#modules/accounts/index.ts'
import { notEnough } from '#modules/ledger/index.ts'
import { publishEvent } from '#modules/notifications/index.ts'
import { type Content, type Counts, hidesOwner, type Target } from '#platform/content.ts'
import type { Context } from '#platform/context.ts'
import { type DeclaredError, notFound } from '#platform/errors.ts'
import { routesOn } from '#platform/http/route.ts'
import { payerOf, type Server, say } from '#platform/http.ts'
import { notePersonal } from '#platform/pages/reading.ts'
import { Id, Message, Type } from '#platform/schema.ts'
import { REWARD_ERRORS } from './errors.ts'
import { listRewards, type RewardRow, sumRewards } from './queries.ts'
import { Reward, RewardBody, RewardQuery, RewardSum } from './schema.ts'
import { admitGiver, give, type RewardNotice } from './service.ts'
import { withGivers } from './view.ts'

export type RewardOptions = {
  /** Where POST is answered, such as `/feeds/:feed/new-rewards`. */
  create: string
  /** Other paths of the same, by operationId. */
  aliases?: Record<string, string>
  /** Where GET lists the rewards. */
  list?: string
  /** Where GET sums them up. */
  sum?: string
  /** What the owner is told. */
  notice: RewardNotice
  /** The switches that must be on besides that of the site. */
  switches?: 'feed:reward'[]
  /** Throws for who may see the content and yet not reward it. */
  mayWrite?(target: Target, viewerId: number): Promise<void>
  /** What `mayWrite` throws. */
  errors?: readonly DeclaredError[]
  /** Keeps the counters of rewards of the content; `by` is the amount given. */
  count?: Counts
  /** What is thrown when the giver has less; absent: 403. */
  poor?: (() => Error) & DeclaredError
  /** The list's default page size where it is not 15. */
  pageSize?: number
}

const withoutOwner = (row: RewardRow): RewardRow => ({ ...row, target_user: 0 })

/** Offers to give points to who published content of one kind. */
export function mountRewards(server: Server, ctx: Context, content: Content, options: RewardOptions): void {
  const { sql } = ctx
  const { noun } = content
  const route = routesOn(server, ctx, { tag: content.tag })
  const params = Type.Object({ [content.param]: Id })
  const switches = ['site:reward' as const, ...(options.switches ?? [])]
  const find = async (params: Record<string, number>, viewerId: number): Promise<Target> => {
    const target = await content.find(sql, params[content.param]!, viewerId)
    if (!target) throw notFound()
    return target
  }

  route(`POST ${options.create}`, {
    operationId: `reward${noun}`,
    summary: 'Reward with points',
    access: 'user',
    params,
    body: RewardBody,
    reply: { 201: Message },
    errors: [...REWARD_ERRORS, options.poor ?? notEnough, ...(options.errors ?? [])],
    aliases: options.aliases ?? {},
    load: async (arrival) => {
      const { params, viewer } = arrival
      const target = await find(params, viewer.id)
      await options.mayWrite?.(target, viewer.id)
      await checkPaymentPassword(ctx, payerOf(ctx, arrival))
      await admitGiver(ctx, viewer.id, target, switches)
      return target
    },
    idempotent: true,
    handler: ({ request, viewer, body: { amount }, loaded: target, atomically }) =>
      atomically(async (tx) => {
        await give(tx, content, target, {
          from: viewer.id,
          amount,
          notice: options.notice,
          ...(options.count ? { count: options.count } : {}),
          ...(options.poor ? { poor: options.poor } : {}),
        })
        await publishEvent(ctx, tx, 'reward.created', {
          rewardable: { type: content.type, id: target.id },
          user_id: viewer.id,
          amount,
        })
        return say(request, 'Rewarded.', '打赏成功。')
      }),
  })

  if (options.list !== undefined)
    route(`GET ${options.list}`, {
      operationId: `list${noun}Rewards`,
      summary: 'List rewards',
      access: 'optional',
      kept: peopleOverlay,
      params,
      query: RewardQuery(options.pageSize),
      reply: { 200: Type.Array(Reward) },
      load: ({ params, viewer }) => find(params, viewer.id),
      handler: async ({ query, viewer, loaded: target }) => {
        const rows = await listRewards(sql, content.type, target.id, query)
        const isHidden = hidesOwner(target, viewer.id)
        if (isHidden) notePersonal([target.ownerId])
        return withGivers(ctx, isHidden ? rows.map(withoutOwner) : rows, viewer.id)
      },
    })

  if (options.sum !== undefined)
    route(`GET ${options.sum}`, {
      operationId: `sum${noun}Rewards`,
      summary: 'How much was given',
      access: 'optional',
      kept: peopleOverlay,
      params,
      reply: { 200: RewardSum },
      load: ({ params, viewer }) => find(params, viewer.id),
      handler: async ({ loaded: { id } }) =>
        (await sumRewards(sql, content.type, [id])).get(id) ?? { count: 0, amount: null },
    })
}

import { type Content, type Counts, hidesOwner, mountOn, type Target } from '#contracts/content.ts'
import { checkPaymentPassword } from '#modules/accounts/index.ts'
import { notEnough } from '#modules/ledger/index.ts'
import { publishEvent } from '#modules/notifications/index.ts'
import type { Context } from '#platform/context.ts'
import type { DeclaredError } from '#platform/errors.ts'
import { Id, localizedMessage, Message, payerOf, routesOn, type Server, Type } from '#platform/http'
import {
  admitGiver,
  give,
  listRewards,
  REWARD_ERRORS,
  Reward,
  RewardBody,
  type RewardNotice,
  RewardQuery,
  type RewardRow,
  RewardSum,
  sumRewards,
  withGivers,
} from './service.ts'

export type RewardOptions = {
  create: string
  aliases?: Record<string, string>
  list?: string
  sum?: string
  notice: RewardNotice
  /** Returns false when an administrator turned rewards of this kind of content off. */
  areOn?(): Promise<boolean>
  mayWrite?(target: Target, viewerId: number): Promise<void>
  errors?: readonly DeclaredError[]
  /** Updates the reward counters of the content. In the table `changed`, column `by` is the amount of the reward. */
  count?: Counts
  poor?: (() => Error) & DeclaredError
  pageSize?: number
}

const withoutOwner = (row: RewardRow): RewardRow => ({ ...row, target_user: 0 })

export function mountRewards(server: Server, ctx: Context, content: Content, options: RewardOptions): void {
  const { sql } = ctx
  const { noun, param } = content
  const find = mountOn(ctx, content)
  const route = routesOn(server, ctx, { tag: content.tag })
  const params = Type.Object({ [param]: Id })
  const areOn = options.areOn ?? (async () => true)

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
      const target = await find(params[param]!, viewer.id)
      await options.mayWrite?.(target, viewer.id)
      await checkPaymentPassword(ctx, payerOf(ctx, arrival))
      await admitGiver(ctx, viewer.id, target, areOn)
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
          ...(target.closed ? {} : { user_id: viewer.id }),
          amount,
        })
        return localizedMessage(request, 'Rewarded.', '打赏成功。')
      }),
  })

  if (options.list !== undefined)
    route(`GET ${options.list}`, {
      operationId: `list${noun}Rewards`,
      summary: 'List rewards',
      access: 'optional',
      params,
      query: RewardQuery(options.pageSize),
      reply: { 200: Type.Array(Reward) },
      load: ({ params, viewer }) => find(params[param]!, viewer.id),
      handler: async ({ query, viewer, loaded: target }) => {
        const rows = await listRewards(sql, content.type, target.id, query, viewer.id)
        const isHidden = hidesOwner(target, viewer.id)
        return withGivers(ctx, isHidden ? rows.map(withoutOwner) : rows, viewer.id)
      },
    })

  if (options.sum !== undefined)
    route(`GET ${options.sum}`, {
      operationId: `sum${noun}Rewards`,
      summary: 'Read the number and sum of rewards',
      access: 'optional',
      params,
      reply: { 200: RewardSum },
      load: ({ params, viewer }) => find(params[param]!, viewer.id),
      handler: async ({ loaded: { id } }) =>
        (await sumRewards(sql, content.type, [id])).get(id) ?? { count: 0, amount: null },
    })
}

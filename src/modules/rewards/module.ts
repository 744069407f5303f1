import { personalTable } from '#contracts/personal-data.ts'
import { userContent } from '#modules/users/index.ts'
import type { Context } from '#platform/context.ts'
import type { Server } from '#platform/http'
import type { Module } from '../../module.ts'
import { mountRewards } from './mount.ts'
import { rewardChecks } from './service.ts'
import { REWARD_SETTINGS } from './settings.ts'

export function userRewardRoutes(server: Server, ctx: Context) {
  mountRewards(server, ctx, userContent(ctx, 'Users'), {
    create: '/user/:user/new-rewards',
    aliases: { rewardUserByOldPath: '/user/:user/rewards' },
    notice: 'reward',
  })
}

/** Exports rewards without their recipients, who may be anonymous. */
export const rewardPersonal = [
  personalTable({
    file: 'rewards',
    about: { en: 'Rewards you gave', zh: '您的打赏' },
    table: 'rewards',
    within: 'rewardable_type',
    key: ['rewardable_id', 'id'],
    columns: ['id', 'rewardable_type', 'rewardable_id', 'amount', 'created_at'],
  }),
]

export const module: Module = {
  settings: REWARD_SETTINGS,
  routes: () => [userRewardRoutes],
  personalData: { place: 21, tables: rewardPersonal },
  endings: () => [
    {
      type: 'rewards',
      on: (sql) => sql`select id, rewardable_type as content_type, rewardable_id as content_id from rewards`,
    },
  ],
  paymentChecks: rewardChecks,
}

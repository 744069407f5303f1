import { enabledUser, userViews } from '#modules/accounts/index.ts'
import type { Content } from '#platform/content.ts'
import type { Context } from '#platform/context.ts'
import type { Server } from '#platform/http.ts'
import { mountRewards } from './mount.ts'

/** Rewards of people; those of content are mounted by its module. */
export function userRewardRoutes(server: Server, ctx: Context) {
  const person: Content = {
    type: 'users',
    param: 'user',
    noun: 'User',
    tag: 'Users',
    async find(sql, id, viewerId) {
      const user = (await userViews(ctx, sql, [id], viewerId)).get(id)
      return user && { id, ownerId: id, contents: user.name }
    },
    live: enabledUser,
  }
  mountRewards(server, ctx, person, {
    create: '/user/:user/new-rewards',
    aliases: { rewardUserByOldPath: '/user/:user/rewards' },
    notice: 'reward',
  })
}

import { enabledUser, userViews } from '#modules/accounts/index.ts'
import type { Content } from '#platform/content.ts'
import type { Context } from '#platform/context.ts'
import { apiError } from '#platform/errors.ts'
import type { Server } from '#platform/http.ts'
import { mountReports } from './mount.ts'

const oneself = apiError(422, 'report_oneself', 'You cannot report yourself.', '不能举报自己。')

/** Reports of people; those of content are mounted by its module. */
export function userReportRoutes(server: Server, ctx: Context) {
  const person: Content = {
    type: 'users',
    param: 'user',
    noun: 'User',
    tag: 'Reports',
    async find(sql, id, viewerId) {
      const user = (await userViews(ctx, sql, [id], viewerId)).get(id)
      return user && { id, ownerId: id, contents: user.name }
    },
    live: enabledUser,
  }
  mountReports(server, ctx, person, {
    path: '/report/users/:user',
    errors: [oneself],
    async mayWrite(target, viewerId) {
      if (target.id === viewerId) throw oneself()
    },
  })
}

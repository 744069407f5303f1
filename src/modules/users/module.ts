import type { Searchable } from '#contracts/search.ts'
import type { Module } from '../../module.ts'
import { accountCounters } from './counters.ts'
import { adminRecommendationRoutes, discoveryRoutes } from './discovery/routes.ts'
import { adminFamousRoutes } from './famous.ts'
import { eraseMentions, mentionRoutes } from './mentions.ts'
import { userPersonal } from './personal.ts'
import { listUserIds } from './queries.ts'
import { contactRuleRoutes } from './relations/contact-rules.ts'
import { mutedWordRoutes } from './relations/muted-words.ts'
import { muteRoutes, muteSchedules, muteTasks } from './relations/mutes.ts'
import { privateAccountRoutes } from './relations/private-accounts.ts'
import { followSchedules, followTasks } from './relations/queries.ts'
import { blockRoutes, followRoutes } from './relations/routes.ts'
import { unsettledFollows, withheldSchedules, withheldTasks } from './relations/withheld.ts'
import { userRoutes } from './routes.ts'
import { UserView } from './schema.ts'
import { userPage } from './view.ts'

const userSearch: Searchable = {
  type: 'users',
  item: UserView,
  find: async (ctx, { q, after, limit, viewerId }) =>
    userPage(
      ctx,
      await listUserIds(ctx.sql, { search: q, since: after, order: 'desc', limit, viewerId }),
      viewerId,
    ),
}

export const module: Module = {
  tags: {
    Users: { place: 4, about: 'User search and profiles.' },
    Relations: { place: 5, about: 'Following and blocking.' },
  },
  routes: (site) => [
    userRoutes(site.service('tellsAccount')),
    followRoutes,
    blockRoutes,
    muteRoutes,
    mutedWordRoutes,
    contactRuleRoutes,
    privateAccountRoutes,
    discoveryRoutes,
    adminRecommendationRoutes,
    adminFamousRoutes,
    mentionRoutes,
  ],
  personalData: { place: 1, tables: userPersonal },
  search: { place: 1, ...userSearch },
  counters: [unsettledFollows, ...accountCounters],
  erase: eraseMentions,
  tasks: () => [followTasks, muteTasks, withheldTasks],
  schedules: [...followSchedules, ...muteSchedules, ...withheldSchedules],
}

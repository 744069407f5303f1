import type { ContentKind } from '#contracts/content.ts'
import { personalTable } from '#contracts/personal-data.ts'
import type { Searchable } from '#contracts/search.ts'
import { creationSeries, type Statistics } from '#contracts/statistics.ts'
import { viewsIn } from '#contracts/views.ts'
import { detachFiles } from '#modules/files/index.ts'
import { countWaiting } from '#modules/pinning/index.ts'
import type { Context } from '#platform/context.ts'
import { type Db, longTransaction, transaction } from '#platform/database'
import { withPrefixAlias } from '#platform/http'
import type { Schedule, TaskList } from '#platform/jobs'
import type { Module } from '../../module.ts'
import { adminGroupPostRoutes } from './admin/posts/routes.ts'
import { adminGroupRoutes } from './admin/routes.ts'
import { adminGroupCategoryRoutes, groupCategoryRoutes } from './categories.ts'
import { groupIncomeRoutes } from './incomes.ts'
import { groupCounters, groupEscrowChecks } from './index.ts'
import { countOldRequests, countRequests, deleteMembers, deleteOldRequests } from './members/queries.ts'
import { groupMemberRoutes, groupRoleRoutes } from './members/routes.ts'
import { groupPinAverageRoutes, groupPinRoutes } from './pins/routes.ts'
import { COMMENT_PIN, POST_PIN } from './pins/schema.ts'
import { postDigest } from './posts/digest.ts'
import { listPostIds, POST_VIEWS } from './posts/queries.ts'
import { groupPostRoutes } from './posts/routes.ts'
import { postReader, postRemoval, removePost } from './posts/service.ts'
import { deleteGroup, listGroups } from './queries.ts'
import { groupReportRoutes } from './reports/routes.ts'
import { groupRoutes } from './routes.ts'
import { Group } from './schema.ts'
import { groupReader, tellOpened } from './service.ts'
import { GROUP_SETTINGS, readGroupSettings } from './settings.ts'
import { groupViews } from './view.ts'

const BATCH = 500

async function clearGroup(ctx: Context, id: number, signal: AbortSignal): Promise<void> {
  for (;;) {
    const posts = await listPostIds(ctx.sql, id, BATCH)
    for (const post of posts) await transaction(ctx.sql, (tx) => removePost(tx, id, post))
    if (posts.length === 0) break
    signal.throwIfAborted()
  }
  while ((await deleteMembers(ctx.sql, id, BATCH)) > 0) signal.throwIfAborted()
  await transaction(ctx.sql, async (tx) => {
    await detachFiles(tx, { channel: 'group:avatar', raws: [id] })
    await deleteGroup(tx, id)
  })
}

export const countOldRequestsOf = async (ctx: Context, tx: Db): Promise<number> =>
  countOldRequests(tx, (await readGroupSettings(ctx))['group:keep-request-days'])

export async function clearOldRequests(ctx: Context, batch = BATCH): Promise<number> {
  const days = (await readGroupSettings(ctx))['group:keep-request-days']
  let gone = 0
  for (let some = batch; some === batch; gone += some) some = await deleteOldRequests(ctx.sql, days, batch)
  return gone
}

export const groupTasks = (ctx: Context): TaskList => ({
  async remove_group(payload, { abortSignal }) {
    await clearGroup(ctx, (payload as { id: number }).id, abortSignal)
  },
  async tell_group_opened(payload) {
    const { id, by } = payload as { id: number; by: number }
    await tellOpened(ctx, id, by)
  },
  async tidy_group_requests() {
    await clearOldRequests(ctx)
  },
})

export const groupSchedules: Schedule[] = [{ task: 'tidy_group_requests', pattern: '47 3 * * *' }]

export const groupPersonal = [
  personalTable({
    file: 'groups',
    about: { en: 'Your groups, joined and owned', zh: '您加入和拥有的圈子' },
    table: 'group_members',
    with: ['groups', 'group_tags'],
    key: ['id'],
    columns: ['group_id', 'role', 'audit', 'disabled', 'created_at', 'updated_at'],
    extra: (sql) => sql`,
      (select g.name from groups g where g.id = t.group_id and g.deleted_at is null) as name,
      case when t.role = 'founder' then (
        select json_build_object('category_id', g.category_id, 'summary', g.summary, 'notice', g.notice,
          'mode', g.mode, 'money', g.money, 'permissions', g.permissions, 'allow_feed', g.allow_feed,
          'location', g.location, 'longitude', g.longitude, 'latitude', g.latitude, 'avatar', g.avatar,
          'audit', g.audit, 'tags', array(select x.tag_id from group_tags x where x.group_id = g.id))
        from groups g where g.id = t.group_id and g.deleted_at is null
      ) end as owned`,
  }),
  personalTable({
    file: 'group-posts',
    about: { en: 'Your posts in groups', zh: '您在圈子里的帖子' },
    table: 'group_posts',
    with: ['group_post_images'],
    key: ['id'],
    columns: [
      ...(['id', 'group_id', 'title', 'body', 'summary', 'likes_count', 'comments_count'] as const),
      ...(['collections_count', 'excellent_at', 'created_at', 'updated_at'] as const),
    ],
    extra: (sql) => sql`, t.views_count + ${viewsIn(sql, POST_VIEWS, sql`t.id`)} as views_count,
      array(select i.file from group_post_images i where i.post_id = t.id order by i.position) as images`,
  }),
  personalTable({
    file: 'group-reports',
    about: { en: 'Reports you made in groups', zh: '您在圈子里提交的举报' },
    table: 'group_reports',
    key: ['id'],
    columns: [
      'id',
      'group_id',
      'type',
      'resource_id',
      'post_id',
      'subject',
      'content',
      'status',
      'created_at',
    ],
  }),
]

const ability = 'admin: groups'

export const groupStatistics: Statistics = {
  queues: [
    {
      name: 'group-audits',
      ability,
      waiting: (sql) =>
        sql`select updated_at as since from groups where audit = 0 and deleted_at is null order by id`,
    },
  ],
  series: [
    creationSeries('groups', 'groups', ability),
    creationSeries('group-posts', 'group_posts', ability),
  ],
}

/** Finds private groups as well, because only their posts are private. */
export const groupSearch: Searchable = {
  type: 'groups',
  item: Group,
  find: async (ctx, { q, after, limit, viewerId }) =>
    groupViews(ctx, await listGroups(ctx.sql, { keyword: q, after, limit }), viewerId),
}

export const GROUP_KINDS: ContentKind[] = [
  {
    type: 'groups',
    code: 11,
    reader: groupReader,
    live: (sql) => sql`select id from groups where deleted_at is null`,
    counters: groupCounters,
    paymentChecks: groupEscrowChecks,
    files: { 'group:avatar': 'admin: groups' },
    repostable: true,
    pendingPins: { 'group-join-pinned': countRequests },
  },
  {
    type: 'group-posts',
    code: 12,
    reader: postReader,
    live: (sql) => sql`select id from group_posts`,
    pinChannel: POST_PIN,
    removal: postRemoval,
    files: { 'group:post': 'admin: groups' },
    repostable: true,
    pendingPins: {
      'post-pinned': (sql, userId, since) => countWaiting(sql, POST_PIN, userId, since),
      'post-comment-pinned': (sql, userId, since) => countWaiting(sql, COMMENT_PIN, userId, since),
    },
  },
]

export const module: Module = {
  tags: {
    Groups: { place: 24, about: 'Groups with members, roles and posts.' },
    'Admin: groups': { place: 37, about: 'Groups, their categories and posts.' },
  },
  settings: GROUP_SETTINGS,
  routes: (site) => [
    // Existing clients also call these routes under /plus-group (conventions-23).
    ...[
      groupCategoryRoutes,
      groupRoutes,
      groupMemberRoutes,
      groupRoleRoutes,
      groupPostRoutes(site.service('copyToFeed')),
      groupReportRoutes,
      groupPinRoutes,
      groupIncomeRoutes,
    ].map((routes) => withPrefixAlias({ prefix: '/plus-group', name: 'plusGroup' }, routes)),
    groupPinAverageRoutes,
    adminGroupCategoryRoutes,
    adminGroupRoutes,
    adminGroupPostRoutes,
  ],
  personalData: { place: 15, tables: groupPersonal },
  statistics: { place: 7, ...groupStatistics },
  search: { place: 6, ...groupSearch },
  digest: { place: 2, ...postDigest },
  kinds: GROUP_KINDS,
  tasks: () => [groupTasks],
  schedules: groupSchedules,
  leftovers: [
    {
      text: 'decided requests to join groups exceed the age in the settings',
      find: (ctx) => longTransaction(ctx.sql, async (tx) => ({ count: await countOldRequestsOf(ctx, tx) })),
      clear: clearOldRequests,
    },
  ],
}

import { listPictures, usePicture } from '#modules/files/index.ts'
import type { Db } from '#platform/database.ts'
import type { ImportStep } from '#platform/database-import/table.ts'
import { relation } from '#platform/database-import/write.ts'
import { AVATARS, groupCategories, groups } from './groups.ts'
import { groupIncomes, groupRecommends } from './incomes.ts'
import { groupMembers, joinRequests } from './members.ts'
import { groupPosts, groupReports } from './posts.ts'

const AVATAR_CHANNEL = 'group:avatar'

/** Gives groups tags. */
export const tagGroups = (sql: Db, links: { id: number; tag: number }[]) => sql`
  insert into group_tags (group_id, tag_id) select id, tag from ${relation(sql, { id: 'bigint', tag: 'bigint' }, links)}
  on conflict do nothing`

/** Uploads made here for the pictures of groups make room for those of the source, which keep their ids. */
export const clearGroupAvatars: ImportStep = {
  name: 'pictures of groups',
  run: ({ transaction }) =>
    transaction(async (tx) => {
      await tx`
        update groups set avatar = null where avatar in (select id from file_uses where channel = ${AVATAR_CHANNEL})`
      await tx`delete from file_uses where channel = ${AVATAR_CHANNEL}`
    }),
}

/** Every group has a founder and, where its bytes are here, a picture. After the numbering, as both get new numbers. */
export const settleGroups: ImportStep = {
  name: 'founders and pictures of groups',
  async run({ transaction }) {
    await transaction(async (tx) => {
      await tx`
        insert into group_members as m (group_id, user_id, audit, role)
        select id, user_id, 1, 'founder' from groups g where not exists (
          select from group_members m where m.group_id = g.id and m.role = 'founder')
        on conflict (group_id, user_id) do update set role = 'founder', audit = 1, disabled = false`
    })
    const pictures = await transaction((tx) => listPictures(tx, AVATARS))
    for (const { id, owner_id: ownerId, node } of pictures)
      await transaction(async (tx) => {
        const avatar = await usePicture(tx, { node, ownerId, channel: AVATAR_CHANNEL, raw: id })
        if (avatar !== undefined) await tx`update groups set avatar = ${avatar} where id = ${id}`
      })
  },
}

/** Groups with what is in them. */
export const groupTables = [
  groupCategories,
  groups,
  groupMembers,
  joinRequests,
  groupPosts,
  groupIncomes,
  groupRecommends,
]
/** What was reported in groups: after comments, of which some are. */
export const groupReportTables = [groupReports]

import type { Db } from '#platform/database'
import { pruneNotes } from '../../database/state.ts'
import type { ImportStep } from '../../database/table.ts'
import { relation, saveTargets, takeTargets } from '../../database/write.ts'
import { listPictures, usePicture } from '../files/pictures.ts'
import { AVATARS, groupCategories, groups } from './groups.ts'
import { groupIncomes, groupRecommends } from './incomes.ts'
import { FOUNDERS_STEP, groupMembers, joinRequests, noteOfGroup } from './members.ts'
import { groupPosts, groupReports } from './posts.ts'

const AVATAR_CHANNEL = 'group:avatar'

export const tagGroups = (sql: Db, links: { id: number; tag: number }[]) => sql`
  insert into group_tags (group_id, tag_id) select id, tag from ${relation(sql, { id: 'bigint', tag: 'bigint' }, links)}
  on conflict do nothing`

/**
 * Deletes uploads that an earlier run created for group pictures, because uploads of the source may need their ids.
 */
export const clearGroupAvatars: ImportStep = {
  name: 'pictures of groups',
  run: ({ transaction }) =>
    transaction(async (tx) => {
      await tx`
        update groups set avatar = null where avatar in (select id from file_uses where channel = ${AVATAR_CHANNEL})`
      await tx`delete from file_uses where channel = ${AVATAR_CHANNEL}`
    }),
}

/** Name of the `import_targets` that hold the memberships which the import added, by group. */
const ADDED = 'added founders'

/** Deletes memberships that an earlier run added, because members who joined since may have their ids. */
export const clearFounders: ImportStep = {
  name: ADDED,
  run: ({ transaction }) =>
    transaction(async (tx) => {
      const added = await takeTargets(tx, ADDED)
      await tx`delete from group_members where id = any(${[...added.values()].map(Number)})`
    }),
}

/**
 * Adds missing founders and copies pictures of groups. Runs after the sequences are set, because new members
 * and pictures need new ids.
 */
export const settleGroups: ImportStep = {
  name: FOUNDERS_STEP,
  keeps: true,
  async run({ transaction, note, forget, saveNotes }) {
    await transaction(async (tx) => {
      await pruneNotes(tx, FOUNDERS_STEP, tx`select ${noteOfGroup(tx)} from groups`)
      const made = await tx<{ group_id: number; user_id: number; id: number; added: boolean }[]>`
        insert into group_members as m (group_id, user_id, audit, role)
        select id, user_id, 1, 'founder' from groups g where not exists (
          select from group_members m where m.group_id = g.id and m.role = 'founder')
        on conflict (group_id, user_id) do update set role = 'founder', audit = 1, disabled = false
        returning group_id, user_id, id, xmax = 0 as added`
      const added = made.filter((each) => each.added)
      await saveTargets(tx, ADDED, new Map(added.map(({ group_id: group, id }) => [group, id])))
      forget(made.map(({ group_id: group }) => `group ${group}`))
      for (const { group_id: group, user_id: person } of made)
        await note(`group ${group}`, 'no founder: its owner became the founder', {
          column: 'founder',
          old: null,
          new: person,
        })
      await saveNotes(tx)
    })
    const pictures = await transaction((tx) => listPictures(tx, AVATARS))
    for (const { id, owner_id: ownerId, node } of pictures)
      await transaction(async (tx) => {
        const avatar = await usePicture(tx, { node, ownerId, channel: AVATAR_CHANNEL, raw: id })
        if (avatar !== undefined) await tx`update groups set avatar = ${avatar} where id = ${id}`
      })
  },
}

export const groupTables = [
  groupCategories,
  groups,
  groupMembers,
  joinRequests,
  groupPosts,
  groupIncomes,
  groupRecommends,
]
/** Runs after the import of comments, because some reports reference comments. */
export const groupReportTables = [groupReports]

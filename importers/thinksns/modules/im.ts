import { numberInText } from '../database/changes.ts'
import { defineTable } from '../database/table.ts'
import { TIME_COLUMNS, TIMES, timesOf } from '../database/times.ts'
import { all, freed, removed } from '../database/vanishing.ts'
import { relation, upsert } from '../database/write.ts'
import { findUses } from './files/uses.ts'

/** Imports no group names or members, because only the chat provider stores them. The server reads them from there. */
const imGroups = defineTable({
  table: 'im_group',
  by: 'id',
  into: [
    {
      table: 'im_groups',
      columns: {
        im_group_id: 'provider_id',
        user_id: 'owner_id',
        group_face: { column: 'face_id', ...numberInText },
        deleted_at: null,
      },
    },
  ],
  key: ['id'],
  gone: all(
    freed(
      'im_groups',
      (sql) =>
        sql`provider_id = case when provider_id like 'moving %' then '' else 'moving ' end || provider_id`,
    ),
    removed('im_groups'),
  ),
  reread: 'always',
  columns: {
    id: 'int',
    im_group_id: 'text',
    user_id: 'int',
    group_face: 'text',
    deleted_at: 'time',
    ...TIMES,
  },
  async write(tx, rows, batch) {
    const people = await batch.find(
      'users',
      rows.map((row) => row.user_id),
    )
    const faces = new Set(
      (
        await findUses(
          tx,
          rows.flatMap(({ group_face }) => (/^\d{1,15}$/.test(group_face ?? '') ? [Number(group_face)] : [])),
        )
      ).map(({ id }) => id),
    )
    const given = rows.flatMap((row) => {
      if (!people.has(row.user_id ?? 0)) batch.leaveOut(row, 'the user no longer exists')
      else if (row.deleted_at !== null) batch.leaveOut(row, 'deleted')
      else {
        const face = Number(row.group_face)
        return [
          {
            id: row.id,
            provider: 'easemob',
            provider_id: row.im_group_id,
            name: `群聊 ${row.im_group_id ?? row.id}`,
            description: '',
            public: false,
            members_only: true,
            allow_invites: true,
            max_users: 200,
            face_id: faces.has(face) ? face : null,
            creator_id: row.user_id,
            owner_id: row.user_id,
            synced_version: 1,
            awaits_provider: true,
            ...timesOf(row),
          },
        ]
      }
      return []
    })
    const columns = {
      id: 'bigint',
      provider: 'text',
      provider_id: 'text',
      name: 'text',
      description: 'text',
      public: 'boolean',
      members_only: 'boolean',
      allow_invites: 'boolean',
      max_users: 'int',
      face_id: 'bigint',
      creator_id: 'bigint',
      owner_id: 'bigint',
      synced_version: 'bigint',
      awaits_provider: 'boolean',
      ...TIME_COLUMNS,
    }
    // A name that came from the provider stays with its provider id, which other groups may have got since.
    await tx`
      update im_groups g set name = r.name, description = r.description
      from ${relation(tx, { id: 'bigint', provider_id: 'text', name: 'text', description: 'text' }, given)}
      where g.id = r.id and g.provider_id is distinct from r.provider_id
        and g.provider_id is distinct from 'moving ' || r.provider_id`
    // The former owner of a group may not be a member any longer. The server loads the members from the provider.
    await tx`
      delete from im_group_members m using im_groups g
      join ${relation(tx, { id: 'bigint', owner_id: 'bigint' }, given)} on r.id = g.id
      where m.group_id = g.id and m.user_id = g.owner_id and g.owner_id <> r.owner_id`
    await upsert(tx, 'im_groups', columns, given, { keep: ['name', 'description'] })
    await tx`
      insert into im_group_members (group_id, user_id)
      select id, owner_id from ${relation(tx, { id: 'bigint', owner_id: 'bigint' }, given)} on conflict do nothing`
  },
})

export const imTables = [imGroups]

import { geoCell } from '#lib/geo.ts'
import { grams, nameKey } from '#lib/text.ts'
import type { Db, Tx } from '#platform/database'
import { flag, numberInText, textOrNone } from '../../database/changes.ts'
import { type Batch, defineTable, type SourceRow } from '../../database/table.ts'
import { TIME_COLUMNS, TIMES, timesOf } from '../../database/times.ts'
import { all, detached, forgotten, freedNames, removed, withoutPictures } from '../../database/vanishing.ts'
import { findHeir, findTargets, saveTargets, upsert } from '../../database/write.ts'
import { nodePicture, wantPictures } from '../files/pictures.ts'

export const AVATARS = 'groups.avatar'
const ROLES = ['member', 'administrator', 'founder']

export const groupCategories = defineTable({
  table: 'group_categories',
  by: null,
  batch: 100_000,
  into: [{ table: 'group_categories' }],
  key: ['id'],
  gone: all(
    freedNames('group_categories'),
    detached('group_categories', async (tx, ids) => {
      const other = await otherCategory(tx)
      await tx`update groups set category_id = ${other} where category_id = any(${ids})`
    }),
    forgotten('group_categories'),
  ),
  reread: 'always',
  columns: {
    id: 'int',
    name: 'text',
    sort_by: 'int',
    status: 'int',
    ...TIMES,
  },
  async write(tx, rows, batch) {
    const first = new Map<string, number>()
    const targets = new Map<number, number>()
    const given = rows.flatMap((row) => {
      const name = row.name?.trim() || `category ${row.id}`
      const other = first.get(nameKey(name))
      targets.set(row.id ?? 0, other ?? row.id ?? 0)
      if (other !== undefined) {
        batch.merge(row, 'another category has this name')
        return []
      }
      first.set(nameKey(name), row.id ?? 0)
      return [
        {
          id: row.id,
          name,
          name_key: nameKey(name),
          sort_by: row.sort_by ?? 0,
          status: row.status === 1 ? 1 : 0,
          ...timesOf(row),
        },
      ]
    })
    const columns = {
      id: 'bigint',
      name: 'text',
      name_key: 'text',
      sort_by: 'int',
      status: 'smallint',
      ...TIME_COLUMNS,
    }
    await upsert(tx, 'group_categories', columns, given)
    await saveTargets(tx, 'group_categories', targets)
  },
})

const GROUPS = {
  id: 'int',
  name: 'text',
  user_id: 'int',
  category_id: 'int',
  location: 'text',
  longitude: 'text',
  latitude: 'text',
  geo_hash: 'text',
  allow_feed: 'int',
  mode: 'text',
  money: 'int',
  summary: 'text',
  notice: 'text',
  permissions: 'text',
  audit: 'int',
  im_group_id: 'text',
  avatar: 'text',
  deleted_at: 'time',
  ...TIMES,
} as const
type Row = SourceRow<typeof GROUPS>

function placeOf(row: Row, batch: Batch) {
  const [latitude, longitude] = [row.latitude, row.longitude].map((text) =>
    text === null || text.trim() === '' ? Number.NaN : Number(text),
  ) as [number, number]
  const [location, hash] = [row.location?.trim() ?? '', row.geo_hash?.trim() ?? '']
  if (Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180 && location !== '' && hash !== '')
    return { location, longitude, latitude, geo_hash: hash, geo_cell: geoCell({ latitude, longitude }) }
  if ([row.location, row.longitude, row.latitude, row.geo_hash].some((part) => (part ?? '').trim() !== ''))
    batch.mend(row, 'incomplete place: left empty')
  return { location: null, longitude: null, latitude: null, geo_hash: null, geo_cell: null }
}

async function otherCategory(sql: Db): Promise<number> {
  const [row] = await sql<{ id: number }[]>`
    with made as (
      insert into group_categories (id, name, name_key) values (0, '其他', '其他') on conflict do nothing returning id
    )
    select id from made union all select id from group_categories where name_key = '其他' limit 1`
  return row?.id ?? 0
}

async function writeGroups(tx: Tx, rows: Row[], batch: Batch): Promise<void> {
  const people = await batch.find(
    'users',
    rows.map((row) => row.user_id),
  )
  const targets = await findTargets(
    tx,
    'group_categories',
    rows.map((row) => row.category_id),
  )
  const kept = rows.filter((row) => {
    if (row.deleted_at === null) return true
    batch.leaveOut(row, 'deleted')
    return false
  })
  const heir = kept.every(({ user_id }) => people.has(user_id ?? 0)) ? 0 : await findHeir(tx)
  const other = kept.every(({ category_id }) => targets.has(category_id ?? 0)) ? 0 : await otherCategory(tx)
  const groups = kept.map((row) => {
    const name = row.name?.trim() || `group ${row.id}`
    if (!people.has(row.user_id ?? 0))
      batch.mend(row, 'its owner no longer exists: assigned to the first administrator', 'user_id')
    if (!targets.has(row.category_id ?? 0))
      batch.mend(row, 'its category no longer exists: moved to another', 'category_id')
    const money = Math.max(row.money ?? 0, 0)
    const isKnown = ['public', 'private', 'paid'].includes(row.mode ?? '') || !batch.has('mode')
    let mode = isKnown ? (row.mode ?? 'public') : 'private'
    if (!isKnown) batch.mend(row, 'unknown access: made private', 'mode')
    if (mode === 'paid' && money === 0) {
      mode = 'private'
      batch.mend(row, 'paid without a price: made private', 'mode')
    }
    const permissions = (row.permissions ?? '').split(',').filter((role) => ROLES.includes(role))
    return {
      id: row.id,
      name,
      name_key: nameKey(name),
      name_grams: grams(name),
      user_id: people.has(row.user_id ?? 0) ? row.user_id : heir,
      category_id: Number(targets.get(row.category_id ?? 0) ?? other),
      ...placeOf(row, batch),
      allow_feed: row.allow_feed === 1,
      mode,
      // Lets only those who run the group post if the rule is unknown.
      permissions: permissions.length > 0 ? permissions : batch.has('permissions') ? ROLES.slice(1) : ROLES,
      money,
      summary: row.summary,
      notice: row.notice,
      audit: row.audit === 1 || row.audit === 2 || batch.has('audit') === false ? (row.audit ?? 1) : 0,
      im_group_id: row.im_group_id,
      ...timesOf(row),
    }
  })
  const columns = {
    id: 'bigint',
    name: 'text',
    name_key: 'text',
    name_grams: 'text[]',
    user_id: 'bigint',
    category_id: 'bigint',
    location: 'text',
    longitude: 'double precision',
    latitude: 'double precision',
    geo_hash: 'text',
    geo_cell: 'bigint',
    allow_feed: 'boolean',
    mode: 'text',
    permissions: 'text[]',
    money: 'bigint',
    summary: 'text',
    notice: 'text',
    audit: 'smallint',
    im_group_id: 'text',
    ...TIME_COLUMNS,
  }
  await upsert(tx, 'groups', columns, groups)
  const ids = groups.map(({ id }) => id ?? 0)
  await tx`insert into group_counts (group_id) select unnest(${ids}::bigint[]) on conflict do nothing`
  const pictures = []
  for (const row of kept) {
    const owner = people.has(row.user_id ?? 0) ? (row.user_id ?? 0) : heir
    if (row.avatar) pictures.push({ id: row.id ?? 0, ownerId: owner, ...nodePicture(row.avatar) })
  }
  await wantPictures(tx, AVATARS, ids, pictures)
}

export const groups = defineTable({
  table: 'groups',
  by: 'id',
  width: 1000,
  batch: 500,
  into: [
    {
      table: 'groups',
      columns: {
        location: textOrNone,
        longitude: numberInText,
        latitude: numberInText,
        geo_hash: textOrNone,
        allow_feed: flag,
        permissions: { as: (roles) => (roles === null ? null : String(roles).split(',')) },
        avatar: null,
        deleted_at: null,
      },
    },
  ],
  key: ['id'],
  gone: all(removed('groups'), withoutPictures(AVATARS)),
  reread: 'always',
  // Removing a group removes its posts.
  states: (sql, { from, to }) => sql`
    select 'groups' as kind, id, user_id::text as fact from groups where id >= ${from} and id < ${to}
    union all
    select 'group-posts', id, concat_ws(' ', user_id, group_id) from group_posts where group_id >= ${from} and group_id < ${to}`,
  columns: GROUPS,
  write: writeGroups,
})

import { geoCell } from '#lib/geo.ts'
import { grams, nameKey } from '#lib/text.ts'
import { NUMBERED_EXTENSIONS, numberedPath } from '#lib/thinksns.ts'
import { listPictures, listUses, nodePicture, usePicture, wantPictures } from '#modules/files/index.ts'
import type { Db, Tx } from '#platform/database.ts'
import { type Batch, defineTable, type ImportStep, type SourceRow } from '#platform/database-import/table.ts'
import { findHeir, findTargets, relation, saveTargets, upsert } from '#platform/database-import/write.ts'

const EPOCH = new Date(0).toISOString()
const AVATARS = 'groups.avatar'
const AVATAR_CHANNEL = 'group:avatar'
const ROLES = ['member', 'administrator', 'founder']

const categories = defineTable({
  table: 'group_categories',
  by: null,
  batch: 100_000,
  key: ['id'],
  columns: {
    id: 'int',
    name: 'text',
    sort_by: 'int',
    status: 'int',
    created_at: 'time',
    updated_at: 'time',
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
          created_at: row.created_at ?? EPOCH,
          updated_at: row.updated_at ?? row.created_at ?? EPOCH,
        },
      ]
    })
    const columns = {
      id: 'bigint',
      name: 'text',
      name_key: 'text',
      sort_by: 'int',
      status: 'smallint',
      created_at: 'timestamptz',
      updated_at: 'timestamptz',
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
  created_at: 'time',
  updated_at: 'time',
} as const
type Row = SourceRow<typeof GROUPS>

/** A place is whole or none at all. */
function placeOf(row: Row, batch: Batch) {
  const [latitude, longitude] = [row.latitude, row.longitude].map((text) =>
    text === null || text.trim() === '' ? Number.NaN : Number(text),
  ) as [number, number]
  const [location, hash] = [row.location?.trim() ?? '', row.geo_hash?.trim() ?? '']
  if (Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180 && location !== '' && hash !== '')
    return { location, longitude, latitude, geo_hash: hash, geo_cell: geoCell({ latitude, longitude }) }
  if ([row.location, row.longitude, row.latitude, row.geo_hash].some((part) => (part ?? '').trim() !== ''))
    batch.mend(row, 'its place is not whole: left empty')
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
      batch.mend(row, 'its owner is gone: it belongs to the first administrator')
    if (!targets.has(row.category_id ?? 0)) batch.mend(row, 'its category is gone: under another')
    const money = Math.max(row.money ?? 0, 0)
    let mode = ['public', 'private', 'paid'].includes(row.mode ?? '') ? (row.mode ?? '') : 'public'
    if (mode === 'paid' && money === 0) {
      mode = 'public'
      batch.mend(row, 'paid, and without a price: public')
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
      permissions: permissions.length > 0 ? permissions : ROLES,
      money,
      summary: row.summary,
      notice: row.notice,
      audit: row.audit === 0 || row.audit === 2 ? row.audit : 1,
      im_group_id: row.im_group_id,
      created_at: row.created_at ?? EPOCH,
      updated_at: row.updated_at ?? row.created_at ?? EPOCH,
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
    created_at: 'timestamptz',
    updated_at: 'timestamptz',
  }
  await upsert(tx, 'groups', columns, groups)
  const ids = groups.map(({ id }) => id ?? 0)
  await tx`insert into group_counts (group_id) select unnest(${ids}::bigint[]) on conflict do nothing`
  const pictures = []
  for (const row of kept) {
    const owner = people.has(row.user_id ?? 0) ? (row.user_id ?? 0) : heir
    const path = row.avatar || (await findOldAvatar(batch, row.id ?? 0))
    if (path) pictures.push({ id: row.id ?? 0, ownerId: owner, ...nodePicture(path) })
  }
  await wantPictures(tx, AVATARS, ids, pictures)
}

/** Where the first versions kept the picture of a group. */
async function findOldAvatar({ files, memory }: Batch, id: number): Promise<string | undefined> {
  const folder = 'group-avatars'
  if (!memory.has(folder)) memory.set(folder, await files.hasFolder(folder))
  if (!memory.get(folder)) return undefined
  for (const extension of NUMBERED_EXTENSIONS) {
    const path = `${folder}/${numberedPath(id)}.${extension}`
    if (await files.has(path)) return path
  }
  return undefined
}

const groups = defineTable({
  table: 'groups',
  by: 'id',
  width: 1000,
  batch: 500,
  key: ['id'],
  columns: GROUPS,
  write: writeGroups,
})

const MEMBERS = {
  id: 'int',
  group_id: 'int',
  user_id: 'int',
  audit: 'int',
  role: 'text',
  disabled: 'int',
  created_at: 'time',
  updated_at: 'time',
} as const

const members = defineTable({
  table: 'group_members',
  by: 'group_id',
  width: 200,
  key: ['id'],
  order: ['user_id', 'id'],
  columns: MEMBERS,
  async write(tx, rows, batch) {
    const people = await batch.find(
      'users',
      rows.map((row) => row.user_id),
    )
    const found = await batch.find(
      'groups',
      rows.map((row) => row.group_id),
    )
    // The row of the owner counts as that of the founder, whoever else is called so.
    const founders = await tx<{ id: number; user_id: number }[]>`
      select group_id as id, user_id from group_members where role = 'founder'
        and group_id = any(${rows.map(({ group_id }) => group_id ?? 0)})`
    const foundersOf = new Map(founders.map(({ id, user_id }) => [id, user_id]))
    const given = rows.flatMap((row) => {
      const group = row.group_id ?? 0
      const same = `${group} ${row.user_id}`
      if (!people.has(row.user_id ?? 0)) batch.leaveOut(row, 'the person is gone')
      else if (!found.has(group)) batch.leaveOut(row, 'the group is gone')
      else if (row.audit === 2) batch.leaveOut(row, 'was refused')
      else if (batch.memory.get('last') === same) batch.merge(row, 'said twice')
      else {
        batch.memory.set('last', same)
        let role = ROLES.includes(row.role ?? '') ? (row.role ?? '') : 'member'
        const owner = found.get(group)
        const taken = foundersOf.get(group)
        if (role === 'founder' && (taken === undefined ? false : taken !== row.user_id)) {
          role = 'administrator'
          batch.mend(row, 'a second founder: an administrator')
        }
        if (row.user_id === owner && taken === undefined) role = 'founder'
        if (role === 'founder') foundersOf.set(group, row.user_id ?? 0)
        const manages = role !== 'member'
        if (manages && (row.audit !== 1 || row.disabled === 1))
          batch.mend(row, 'a manager who waited or was on the blacklist: neither any more')
        return [
          {
            group_id: group,
            user_id: row.user_id,
            id: row.id,
            audit: manages || row.audit === 1 ? 1 : 0,
            role,
            disabled: row.disabled === 1 && !manages,
            created_at: row.created_at ?? EPOCH,
            updated_at: row.updated_at ?? row.created_at ?? EPOCH,
          },
        ]
      }
      return []
    })
    const columns = {
      group_id: 'bigint',
      user_id: 'bigint',
      id: 'bigint',
      audit: 'smallint',
      role: 'text',
      disabled: 'boolean',
      created_at: 'timestamptz',
      updated_at: 'timestamptz',
    }
    // A group may have been handed over since: who was its founder makes room first.
    await upsert(
      tx,
      'group_members',
      columns,
      given.filter(({ role }) => role !== 'founder'),
      { key: ['group_id', 'user_id'] },
    )
    await upsert(
      tx,
      'group_members',
      columns,
      given.filter(({ role }) => role === 'founder'),
      { key: ['group_id', 'user_id'] },
    )
  },
  sweep: (tx, { from, to }, rows) => tx`
    delete from group_members m where group_id >= ${from} and group_id < ${to} and not exists (
      select from ${relation(tx, { group_id: 'bigint', user_id: 'bigint' }, rows)}
      where r.group_id = m.group_id and r.user_id = m.user_id)`,
})

const requests = defineTable({
  table: 'group_member_logs',
  by: 'id',
  key: ['id'],
  columns: {
    id: 'int',
    group_id: 'int',
    user_id: 'int',
    member_id: 'int',
    status: 'int',
    auditer: 'int',
    audit_at: 'time',
    created_at: 'time',
  },
  async write(tx, rows, batch) {
    const found = await batch.find(
      'groups',
      rows.map((row) => row.group_id),
    )
    const open = await tx<{ id: number; same: string }[]>`
      select id, group_id || ' ' || member_id as same from group_member_logs
      where status = 0 and group_id = any(${rows.map(({ group_id }) => group_id ?? 0)})`
    const waiting = new Map(open.map(({ id, same }) => [same, id]))
    const given = rows.flatMap((row) => {
      const same = `${row.group_id} ${row.member_id}`
      const status = row.status === 1 || row.status === 2 ? row.status : 0
      const earlier = waiting.get(same)
      if (!found.has(row.group_id ?? 0)) batch.leaveOut(row, 'the group is gone')
      else if (status === 0 && earlier !== undefined && earlier !== row.id) batch.merge(row, 'asked twice')
      else {
        if (status === 0) waiting.set(same, row.id ?? 0)
        const created = row.created_at ?? EPOCH
        return [
          {
            group_id: row.group_id,
            id: row.id,
            user_id: row.user_id,
            member_id: row.member_id,
            status,
            auditer: status === 0 ? null : row.auditer,
            audit_at: status === 0 ? null : (row.audit_at ?? created),
            created_at: created,
          },
        ]
      }
      return []
    })
    const columns = {
      group_id: 'bigint',
      id: 'bigint',
      user_id: 'bigint',
      member_id: 'bigint',
      status: 'smallint',
      auditer: 'bigint',
      audit_at: 'timestamptz',
      created_at: 'timestamptz',
    }
    await upsert(tx, 'group_member_logs', columns, given, { key: ['group_id', 'id'] })
  },
})

const posts = defineTable({
  table: 'group_posts',
  by: 'id',
  width: 2000,
  batch: 500,
  key: ['id'],
  columns: {
    id: 'int',
    group_id: 'int',
    user_id: 'int',
    title: 'text',
    body: 'text',
    summary: 'text',
    views_count: 'int',
    excellent_at: 'time',
    comment_updated_at: 'time',
    deleted_at: 'time',
    created_at: 'time',
    updated_at: 'time',
  },
  async write(tx, rows, batch) {
    const people = await batch.find(
      'users',
      rows.map((row) => row.user_id),
    )
    const found = await batch.find(
      'groups',
      rows.map((row) => row.group_id),
    )
    const kept = rows.filter((row) => {
      if (row.deleted_at !== null) batch.leaveOut(row, 'deleted')
      else if (!found.has(row.group_id ?? 0)) batch.leaveOut(row, 'the group is gone')
      else if (!people.has(row.user_id ?? 0)) batch.leaveOut(row, 'its author is gone')
      else return true
      return false
    })
    const ids = kept.map(({ id }) => id ?? 0)
    const images = Map.groupBy(await listUses(tx, 'group:post', ids), ({ raw }) => raw)
    const given = kept.map((row) => {
      const title = row.title ?? ''
      const created = row.created_at ?? EPOCH
      return {
        id: row.id,
        group_id: row.group_id,
        user_id: row.user_id,
        title,
        title_key: nameKey(title),
        title_grams: grams(title),
        body: row.body ?? '',
        summary: row.summary ?? '',
        has_images: images.has(row.id ?? 0),
        views_count: Math.max(row.views_count ?? 0, 0),
        excellent_at: row.excellent_at,
        replied_at: row.comment_updated_at ?? created,
        created_at: created,
        updated_at: row.updated_at ?? created,
      }
    })
    const columns = {
      id: 'bigint',
      group_id: 'bigint',
      user_id: 'bigint',
      title: 'text',
      title_key: 'text',
      title_grams: 'text[]',
      body: 'text',
      summary: 'text',
      has_images: 'boolean',
      views_count: 'bigint',
      excellent_at: 'timestamptz',
      replied_at: 'timestamptz',
      created_at: 'timestamptz',
      updated_at: 'timestamptz',
    }
    await upsert(tx, 'group_posts', columns, given)
    await tx`delete from group_post_images where post_id = any(${ids})`
    const shown = [...images].flatMap(([post, uses]) =>
      uses.map(({ id, size, mime }, position) => ({ post_id: post, position, file: id, size, mime })),
    )
    const imageColumns = { post_id: 'bigint', position: 'int', file: 'bigint', size: 'text', mime: 'text' }
    await upsert(tx, 'group_post_images', imageColumns, shown, { key: ['post_id', 'position'] })
  },
  sweep: (tx, { from, to }, rows) => tx`
    delete from group_posts where id >= ${from} and id < ${to} and not id = any(${rows.map(({ id }) => id ?? 0)})`,
})

const incomes = defineTable({
  table: 'group_incomes',
  by: 'id',
  key: ['id'],
  columns: {
    id: 'int',
    group_id: 'int',
    subject: 'text',
    type: 'int',
    amount: 'int',
    user_id: 'int',
    created_at: 'time',
  },
  async write(tx, rows, batch) {
    const found = await batch.find(
      'groups',
      rows.map((row) => row.group_id),
    )
    const given = rows.flatMap((row) => {
      if (!found.has(row.group_id ?? 0)) batch.leaveOut(row, 'the group is gone')
      else if ((row.amount ?? 0) < 1) batch.leaveOut(row, 'an income of nothing')
      else
        return [
          {
            ...row,
            subject: row.subject ?? '',
            type: row.type === 2 ? 2 : 1,
            currency: 'points',
            user_id: row.user_id ?? 0,
            created_at: row.created_at ?? EPOCH,
          },
        ]
      return []
    })
    const columns = {
      group_id: 'bigint',
      id: 'bigint',
      subject: 'text',
      type: 'smallint',
      amount: 'bigint',
      currency: 'text',
      user_id: 'bigint',
      created_at: 'timestamptz',
    }
    await upsert(tx, 'group_incomes', columns, given, { key: ['group_id', 'id'] })
  },
})

const recommends = defineTable({
  table: 'group_recommends',
  by: null,
  key: ['id'],
  columns: {
    id: 'int',
    group_id: 'int',
    referrer: 'int',
    disable: 'int',
    sort_by: 'int',
    created_at: 'time',
  },
  async write(tx, rows, batch) {
    const found = await batch.find(
      'groups',
      rows.map((row) => row.group_id),
    )
    const given = new Map<number, object>()
    for (const row of rows) {
      const group = row.group_id ?? 0
      if (row.disable === 1) batch.leaveOut(row, 'switched off')
      else if (!found.has(group)) batch.leaveOut(row, 'the group is gone')
      else if (given.has(group)) batch.merge(row, 'said twice')
      else
        given.set(group, {
          group_id: group,
          sort_by: row.sort_by ?? 0,
          referrer: row.referrer ?? 0,
          created_at: row.created_at ?? EPOCH,
        })
    }
    const columns = { group_id: 'bigint', sort_by: 'int', referrer: 'bigint', created_at: 'timestamptz' }
    await upsert(tx, 'group_recommends', columns, [...given.values()], { key: ['group_id'] })
  },
})

const reports = defineTable({
  table: 'group_reports',
  by: 'id',
  key: ['id'],
  columns: {
    id: 'int',
    user_id: 'int',
    target_id: 'int',
    group_id: 'int',
    resource_id: 'int',
    content: 'text',
    type: 'text',
    status: 'int',
    cause: 'text',
    handler: 'int',
    created_at: 'time',
    updated_at: 'time',
  },
  async write(tx, rows, batch) {
    const found = await batch.find(
      'groups',
      rows.map((row) => row.group_id),
    )
    const ids = rows.map(({ resource_id }) => resource_id ?? 0)
    const subjects = await tx<{ key: string; post: number; subject: string }[]>`
      select 'post ' || id as key, id as post, title as subject from group_posts where id = any(${ids})
      union all
      select 'comment ' || id, commentable_id, left(body, 100) from comments
      where id = any(${ids}) and commentable_type = 'group-posts'`
    const known = new Map(subjects.map((row) => [row.key, row]))
    const open = await tx<{ id: number; same: string }[]>`
      select id, user_id || type || resource_id as same from group_reports
      where status = 0 and user_id = any(${rows.map(({ user_id }) => user_id ?? 0)})`
    const waiting = new Map(open.map(({ id, same }) => [same, id]))
    const given = rows.flatMap((row) => {
      const type = row.type === 'comment' ? 'comment' : 'post'
      const subject = known.get(`${type} ${row.resource_id}`)
      const status = row.status === 1 || row.status === 2 ? row.status : 0
      const same = `${row.user_id}${type}${row.resource_id}`
      const earlier = waiting.get(same)
      if (!found.has(row.group_id ?? 0)) batch.leaveOut(row, 'the group is gone')
      else if (!subject) batch.leaveOut(row, 'what was reported is gone')
      else if (status === 0 && earlier !== undefined && earlier !== row.id)
        batch.merge(row, 'the same person has an open report of it')
      else {
        if (status === 0) waiting.set(same, row.id ?? 0)
        return [
          {
            id: row.id,
            group_id: row.group_id,
            user_id: row.user_id,
            target_id: row.target_id ?? 0,
            type,
            resource_id: row.resource_id,
            post_id: subject.post,
            subject: subject.subject,
            content: row.content ?? '',
            status,
            cause: row.cause,
            handler: status === 0 ? null : (row.handler ?? 0),
            created_at: row.created_at ?? EPOCH,
            updated_at: row.updated_at ?? row.created_at ?? EPOCH,
          },
        ]
      }
      return []
    })
    const columns = {
      id: 'bigint',
      group_id: 'bigint',
      user_id: 'bigint',
      target_id: 'bigint',
      type: 'text',
      resource_id: 'bigint',
      post_id: 'bigint',
      subject: 'text',
      content: 'text',
      status: 'smallint',
      cause: 'text',
      handler: 'bigint',
      created_at: 'timestamptz',
      updated_at: 'timestamptz',
    }
    await upsert(tx, 'group_reports', columns, given)
  },
})

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
export const groupTables = [categories, groups, members, requests, posts, incomes, recommends]
/** What was reported in groups: after comments, of which some are. */
export const groupReportTables = [reports]

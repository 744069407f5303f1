import { EXCERPT_LENGTH } from '#contracts/content.ts'
import { cutText, GRAPHEME_MAX, grams, nameKey } from '#lib/text.ts'
import { defineTable } from '../../database/table.ts'
import { EPOCH, TIME_COLUMNS, TIMES, timesOf } from '../../database/times.ts'
import { all, existing, removed, replaced } from '../../database/vanishing.ts'
import { upsert } from '../../database/write.ts'
import { claimNamed, listUses, unclaimed } from '../files/uses.ts'

export const groupPosts = defineTable({
  table: 'group_posts',
  by: 'id',
  width: 2000,
  batch: 500,
  into: [{ table: 'group_posts', columns: { comment_updated_at: 'replied_at', deleted_at: null } }],
  key: ['id'],
  gone: all(unclaimed('group_posts'), removed('group_posts')),
  reads: { users: ['user_id'], groups: ['group_id'], 'files of group': ['id'] },
  states: existing('group-posts', 'group_posts', (sql) => sql`concat_ws(' ', user_id, group_id)`),
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
    ...TIMES,
  },
  async write(tx, rows, batch) {
    const people = await batch.findBy('users', rows, 'user_id')
    const found = await batch.findBy('groups', rows, 'group_id')
    const kept = rows.filter((row) => {
      if (row.deleted_at !== null) batch.leaveOut(row, 'deleted')
      else if (!found.has(row.group_id ?? 0)) batch.leaveOut(row, 'the group no longer exists')
      else if (!people.has(row.user_id ?? 0)) batch.leaveOut(row, 'its author no longer exists')
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
      ...TIME_COLUMNS,
    }
    await upsert(tx, 'group_posts', columns, given)
    await claimNamed(
      tx,
      'group_posts',
      given.map(({ id, body }) => ({ placeId: id ?? 0, text: body })),
    )
    await tx`delete from group_post_images where post_id = any(${ids})`
    const shown = [...images].flatMap(([post, uses]) =>
      uses.map(({ id, size, mime }, position) => ({ post_id: post, position, file: id, size, mime })),
    )
    const imageColumns = { post_id: 'bigint', position: 'int', file: 'bigint', size: 'text', mime: 'text' }
    await upsert(tx, 'group_post_images', imageColumns, shown, { key: ['post_id', 'position'] })
  },
})

export const groupReports = defineTable({
  table: 'group_reports',
  by: 'id',
  into: [{ table: 'group_reports' }],
  key: ['id'],
  gone: replaced('group_reports'),
  reread: 'always',
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
    ...TIMES,
  },
  async write(tx, rows, batch) {
    const found = await batch.findBy('groups', rows, 'group_id')
    const ids = rows.map(({ resource_id }) => resource_id ?? 0)
    const subjects = await tx<{ key: string; post: number; subject: string }[]>`
      select 'post ' || id as key, id as post, title as subject from group_posts where id = any(${ids})
      union all
      select 'comment ' || id, commentable_id, left(body, ${EXCERPT_LENGTH + GRAPHEME_MAX}::int) from comments
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
      if (!found.has(row.group_id ?? 0)) batch.leaveOut(row, 'the group no longer exists')
      else if (!subject) batch.leaveOut(row, 'the reported content no longer exists')
      else if (status === 0 && earlier !== undefined && earlier !== row.id)
        batch.merge(row, 'the same user has an open report of it')
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
            subject: type === 'comment' ? cutText(subject.subject, EXCERPT_LENGTH) : subject.subject,
            content: row.content ?? '',
            status,
            cause: row.cause,
            handler: status === 0 ? null : (row.handler ?? 0),
            ...timesOf(row),
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
      ...TIME_COLUMNS,
    }
    await upsert(tx, 'group_reports', columns, given)
  },
})

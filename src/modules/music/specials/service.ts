import type { Content } from '#contracts/content.ts'
import { grams, nameKey } from '#lib/text.ts'
import { wireTime, wireTimeOrNull } from '#lib/time.ts'
import { deleteCollectionsOf, isCollected } from '#modules/collections/index.ts'
import { deleteCommentsOf } from '#modules/comments/index.ts'
import { attachPicture, detachFiles } from '#modules/files/index.ts'
import { withdrawContent } from '#modules/notifications/index.ts'
import { closeSales, findPrices, purchasesOf, removePrices, setPrices } from '#modules/purchases/index.ts'
import type { Context } from '#platform/context.ts'
import { type Db, type Fragment, ifGiven, type Row, type Tx, when } from '#platform/database'
import { noSuchSpecial, type Special } from '../schema.ts'

type SpecialRow = Row<
  'music_specials',
  'id' | 'title' | 'intro' | 'storage' | 'storage_size' | 'sort' | 'created_at' | 'updated_at' | 'deleted_at'
> &
  Row<'music_special_counts', 'collect_count'> & {
    taste_count: number
    share_count: number
    comment_count: number
    has_collect: boolean
  }

const earlierThan = (sql: Db, id: number): Fragment => when(sql, id > 0, () => sql`and p.id < ${id}`)

const specials = (sql: Db, viewerId: number, where: Fragment, end: Fragment) => sql<SpecialRow[]>`
  select p.id, p.title, p.intro, p.storage, p.storage_size, p.sort, p.created_at, p.updated_at, p.deleted_at,
    s.taste_count, c.share_count + s.share_count as share_count, c.comment_count + s.comment_count as comment_count,
    c.collect_count,
    ${isCollected(sql, 'music_specials', sql`p.id`, viewerId)} as has_collect
  from (select * from music_specials p where deleted_at is null ${where} order by id desc ${end}) p
  join music_special_counts c on c.special_id = p.id
  cross join lateral (
    select coalesce(sum(n.taste_count), 0)::bigint as taste_count, coalesce(sum(n.share_count), 0)::bigint as share_count,
      coalesce(sum(n.comment_count), 0)::bigint as comment_count
    from music_special_songs l join music_song_counts n on n.song_id = l.song_id where l.special_id = p.id
  ) s
  order by p.id desc`

export type SpecialPage = {
  ids?: number[] | undefined
  before?: number | undefined
  limit: number
  viewerId: number
}

export const listSpecials = (sql: Db, { ids, before = 0, limit, viewerId }: SpecialPage) =>
  specials(
    sql,
    viewerId,
    sql`${ifGiven(sql, ids, (list) => sql`and p.id = any(${list})`)} ${earlierThan(sql, before)}`,
    sql`limit ${limit}`,
  )

export const listBoughtSpecials = (sql: Db, userId: number, before: number, limit: number) =>
  specials(
    sql,
    userId,
    sql`and p.id in (${purchasesOf(sql, userId, 'music')}) ${earlierThan(sql, before)}`,
    sql`limit ${limit}`,
  )

/** Lists at most the 20 newest albums of each song. */
export const listSpecialsOf = (sql: Db, songIds: number[]) => sql<
  { song_id: number; id: number; title: string }[]
>`
  select s.id as song_id, p.id, p.title
  from unnest(${songIds}::bigint[]) as s (id)
  cross join lateral (
    select a.id, a.title from music_special_songs l join music_specials a on a.id = l.special_id
    where l.song_id = s.id and a.deleted_at is null order by l.special_id desc limit 20
  ) p
  order by s.id, p.id desc`

export const findSpecial = async (sql: Db, id: number, viewerId: number) =>
  (await specials(sql, viewerId, sql`and p.id = ${id}`, sql``))[0]

const findSpecialTitle = async (sql: Db, id: number) =>
  (
    await sql<{ title: string }[]>`select title from music_specials where id = ${id} and deleted_at is null`
  )[0]?.title

const liveSpecial = (sql: Db, id: number): Fragment =>
  sql`select id from music_specials where id = ${id} and deleted_at is null`

/** Locks the albums against deletion. Omits unknown and deleted ones. */
export const findLiveSpecials = (sql: Db, ids: number[]) => sql<{ id: number }[]>`
  select id from music_specials where id = any(${ids}) and deleted_at is null order by id for share`

export async function countSpecialShare(sql: Db, id: number): Promise<boolean> {
  const rows = await sql`
    update music_special_counts set share_count = share_count + 1
    where special_id = (select id from music_specials where id = ${id} and deleted_at is null)`
  return rows.count > 0
}

export type SpecialValues = {
  title: string
  intro: string | null
  storage: number | null
  storageSize: string | null
  sort: number
}

async function insertSpecial(sql: Db, special: SpecialValues): Promise<number> {
  const { title, intro, storage, storageSize, sort } = special
  const [row] = await sql<[{ id: number }]>`
    with made as (
      insert into music_specials (title, title_key, title_grams, intro, storage, storage_size, sort)
      values (${title}, ${nameKey(title)}, ${grams(title)}, ${intro}, ${storage}, ${storageSize}, ${sort})
      returning id
    ),
    counted as (insert into music_special_counts (special_id) select id from made)
    select id from made`
  return row.id
}

async function updateSpecial(
  sql: Db,
  id: number,
  { title, intro, storage, storageSize, sort }: Partial<SpecialValues>,
): Promise<void> {
  await sql`
    update music_specials set updated_at = now()
      ${ifGiven(sql, title, (value) => sql`, title = ${value}, title_key = ${nameKey(value)}, title_grams = ${grams(value)}`)}
      ${ifGiven(sql, intro, (value) => sql`, intro = ${value}`)}
      ${ifGiven(sql, storage, (value) => sql`, storage = ${value}, storage_size = ${storageSize ?? null}`)}
      ${ifGiven(sql, sort, (value) => sql`, sort = ${value}`)}
    where id = ${id}`
}

/**
 * Marks the album as deleted and keeps its songs. The row stays, so that a repeated import does not create the album
 * again.
 */
async function deleteSpecial(sql: Db, id: number): Promise<boolean> {
  const [row] = await sql<[{ gone: boolean }]>`
    with gone as (
      update music_specials set deleted_at = now(), updated_at = now() where id = ${id} and deleted_at is null
      returning id
    ),
    counts as (
      update music_special_counts set comment_count = 0, collect_count = 0
      where special_id in (select id from gone)
    ),
    links as (delete from music_special_songs where special_id in (select id from gone))
    select exists (select from gone) as gone`
  return row.gone
}

const specialView = (row: SpecialRow, price: Special['paid_node']): Special => ({
  id: row.id,
  created_at: wireTime(row.created_at),
  updated_at: wireTime(row.updated_at),
  deleted_at: wireTimeOrNull(row.deleted_at),
  title: row.title,
  intro: row.intro,
  storage: row.storage === null ? null : { id: row.storage, size: row.storage_size },
  taste_count: row.taste_count,
  share_count: row.share_count,
  comment_count: row.comment_count,
  collect_count: row.collect_count,
  sort: row.sort,
  has_collect: row.has_collect,
  paid_node: price,
})

export const specialContent: Content = {
  type: 'music_specials',
  param: 'special',
  noun: 'Album',
  tag: 'Music',
  async find(sql, id) {
    const title = await findSpecialTitle(sql, id)
    return title === undefined ? undefined : { id, ownerId: 0, contents: title }
  },
  live: liveSpecial,
}

export async function specialViews(ctx: Context, rows: SpecialRow[], viewerId: number): Promise<Special[]> {
  const prices = await findPrices(
    ctx.sql,
    'music',
    rows.map(({ id }) => id),
    viewerId,
  )
  return rows.map((row) => {
    const price = prices.get(row.id)
    return specialView(row, price ? { paid: price.paid, node: price.id, amount: price.amount } : null)
  })
}

export type SpecialInput = {
  title?: string
  intro?: string | null
  storage?: number | null
  sort?: number
  amount?: number | null
}

const takePicture = (tx: Tx, storage: number, ownerId: number, specialId: number) =>
  attachPicture(tx, storage, { ownerId, channel: 'music:special:storage', raw: specialId, field: 'storage' })

async function sellSpecial(tx: Tx, id: number, amount: number | null): Promise<void> {
  if (amount === null) await removePrices(tx, 'music', [id])
  else await setPrices(tx, [{ channel: 'music', raw: id, amount, userId: 0, extra: 'read' }])
}

export async function addSpecial(
  tx: Tx,
  ownerId: number,
  { title, intro = null, storage = null, sort = 0, amount = null }: SpecialInput & { title: string },
): Promise<number> {
  const id = await insertSpecial(tx, { title, intro, storage: null, storageSize: null, sort })
  if (storage !== null)
    await updateSpecial(tx, id, { storage, storageSize: await takePicture(tx, storage, ownerId, id) })
  if (amount !== null) await sellSpecial(tx, id, amount)
  return id
}

export async function changeSpecial(
  tx: Tx,
  ownerId: number,
  special: { id: number; storage: number | null },
  { storage, amount, ...values }: SpecialInput,
): Promise<void> {
  const changed = storage !== undefined && storage !== special.storage
  const storageSize = changed && storage !== null ? await takePicture(tx, storage, ownerId, special.id) : null
  await updateSpecial(tx, special.id, { ...values, ...(changed ? { storage, storageSize } : {}) })
  if (changed && special.storage !== null) await detachFiles(tx, { ids: [special.storage] })
  if (amount !== undefined) await sellSpecial(tx, special.id, amount)
}

/** Deletes an album, its comments and its collections. Its songs stay. */
export async function removeSpecial(tx: Tx, id: number): Promise<void> {
  if (!(await deleteSpecial(tx, id))) throw noSuchSpecial()
  await closeSales(tx, 'music', [id], true)
  await deleteCommentsOf(tx, specialContent.type, [id])
  await deleteCollectionsOf(tx, specialContent.type, [id])
  await withdrawContent(tx, { type: specialContent.type, ids: [id] })
}

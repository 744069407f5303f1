import type { Content } from '#contracts/content.ts'
import { wireTime, wireTimeOrNull } from '#lib/time.ts'
import { deleteCollectionsOf } from '#modules/collections/index.ts'
import { deleteCommentsOf } from '#modules/comments/index.ts'
import { attachFiles, detachFiles } from '#modules/files/index.ts'
import { closeSales, findPrices, removePrices, setPrices } from '#modules/purchases/index.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/database'
import { noSuchSpecial, type Special } from '../schema.ts'
import {
  deleteSpecial,
  findSpecialTitle,
  insertSpecial,
  liveSpecial,
  type SpecialRow,
  updateSpecial,
} from './queries.ts'

/** An album as clients receive it. */
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

/** Albums as content with comments and collections, without an author. */
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

/** Albums as clients receive them, in the order of the rows. */
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
  /** Price of the album. Null removes it. */
  amount?: number | null
}

const takePicture = async (tx: Tx, storage: number, ownerId: number, specialId: number) =>
  (
    await attachFiles(tx, {
      ids: [storage],
      ownerId,
      channel: 'music:special:storage',
      raw: specialId,
      field: 'storage',
      kind: 'image',
    })
  ).get(storage)?.size ?? null

/** Sets or removes the price of an album. The site receives the payments. */
async function sellSpecial(tx: Tx, id: number, amount: number | null): Promise<void> {
  if (amount === null) await removePrices(tx, 'music', [id])
  else await setPrices(tx, [{ channel: 'music', raw: id, amount, userId: 0, extra: 'read' }])
}

/** Creates an album in the caller's transaction. `ownerId` is the uploader of its picture. */
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

/** Changes the given fields in the caller's transaction. */
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

/** Deletes an album with its comments and collections, in the caller's transaction. Its songs stay. */
export async function removeSpecial(tx: Tx, id: number): Promise<void> {
  if (!(await deleteSpecial(tx, id))) throw noSuchSpecial()
  await closeSales(tx, 'music', [id], true)
  await deleteCommentsOf(tx, specialContent.type, [id])
  await deleteCollectionsOf(tx, specialContent.type, [id])
}

import { deleteCollectionsOf } from '#modules/collections/index.ts'
import { deleteCommentsOf } from '#modules/comments/index.ts'
import { attachFiles, detachFiles } from '#modules/files/index.ts'
import { closeSales, dropPrices, findPrices, setPrices } from '#modules/purchases/index.ts'
import type { Content } from '#platform/content.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/database.ts'
import { noSuchSpecial } from '../errors.ts'
import type { Special } from '../schema.ts'
import {
  deleteSpecial,
  findSpecialTitle,
  insertSpecial,
  liveSpecial,
  type SpecialRow,
  updateSpecial,
} from './queries.ts'
import { specialView } from './view.ts'

/** Albums as content that is commented on and collected. Nobody publishes them. */
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

/** Albums as clients get them, in the order of the rows. */
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
  /** What it costs to see and hear it; null: nothing. */
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

/** Puts a price on an album, or takes it away; the site is paid. */
async function sellSpecial(tx: Tx, id: number, amount: number | null): Promise<void> {
  if (amount === null) await dropPrices(tx, 'music', [id])
  else await setPrices(tx, [{ channel: 'music', raw: id, amount, userId: 0, extra: 'read' }])
}

/** Makes an album in the caller's transaction; `ownerId` has uploaded its picture. */
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

/** Changes what is given, in the caller's transaction. */
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

/** Deletes an album with its comments and from all collections, in the caller's transaction; its songs stay. */
export async function removeSpecial(tx: Tx, id: number): Promise<void> {
  if (!(await deleteSpecial(tx, id))) throw noSuchSpecial()
  await closeSales(tx, 'music', [id], true)
  await deleteCommentsOf(tx, specialContent.type, [id])
  await deleteCollectionsOf(tx, specialContent.type, [id])
}

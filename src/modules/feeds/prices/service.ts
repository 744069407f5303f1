import { cutCharacters } from '#lib/text.ts'
import { switchedOff } from '#modules/ledger/index.ts'
import { closeSales, type Price, setPrices } from '#modules/purchases/index.ts'
import { readSettings } from '#modules/settings/index.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/database.ts'
import { invalidField } from '#platform/errors.ts'
import { findImages } from '../media/queries.ts'
import type { NewFeed } from '../schema.ts'
import { FEED, FILE } from './queries.ts'

/** What of a text with a price everybody may read (feeds-10). */
export async function openPart(ctx: Context, content: string | null | undefined): Promise<string | null> {
  if (content === null || content === undefined) return null
  return cutCharacters(content, (await readSettings(ctx))['feed:pay-word-limit'])
}

const kindMissing = (position: number) =>
  invalidField(`images.${position}.type`, {
    en: 'A picture with an amount needs a type: read or download.',
    zh: '付费图片必须提供 type：read 或 download。',
  })

/** 403 while the site has no paid feeds; 422 for a price of a picture that does not say what for. */
export async function requirePricing(ctx: Context, { images = [] }: NewFeed): Promise<void> {
  if (!(await readSettings(ctx))['feed:paycontrol']) throw switchedOff()
  const incomplete = images.findIndex(({ amount = 0, type }) => amount > 0 && type === undefined)
  if (incomplete >= 0) throw kindMissing(incomplete)
}

/** Puts a feed and its pictures on sale. */
export async function setPricesOfFeed(
  tx: Tx,
  userId: number,
  feedId: number,
  { amount = 0, images = [] }: NewFeed,
): Promise<void> {
  const prices: Price[] = images.flatMap(({ id: raw, amount: price = 0, type: extra = null }) =>
    price > 0 ? [{ channel: FILE, raw, amount: price, userId, extra }] : [],
  )
  if (amount > 0) prices.push({ channel: FEED, raw: feedId, amount, userId })
  await setPrices(tx, prices)
}

/** Lets nobody buy a feed that is deleted, nor its pictures, until it is restored. */
export async function closeSalesOfFeed(tx: Tx, feedId: number, closed: boolean): Promise<void> {
  await closeSales(tx, FEED, [feedId], closed)
  const images = await findImages(tx, [feedId])
  await closeSales(
    tx,
    FILE,
    images.map(({ file }) => file),
    closed,
  )
}

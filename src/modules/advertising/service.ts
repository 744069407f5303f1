import { getStoredNode } from '#modules/files/index.ts'
import { defineCache } from '#platform/cache.ts'
import type { Context } from '#platform/context.ts'
import type { Db, Tx } from '#platform/database.ts'
import { missingData, noSuchSpace, notAnAddress, unknownSpace, wrongType } from './errors.ts'
import {
  type AdvertisementRow,
  deleteAdvertisement,
  insertAdvertisement,
  listAdvertisements,
  listSpaces,
  updateAdvertisement,
} from './queries.ts'
import type { Advertisement, AdvertisingSpace, NewAdvertisement, StoredData } from './schema.ts'
import { advertisementView, spaceView } from './view.ts'

type Everything = { spaces: AdvertisingSpace[]; advertisements: Advertisement[] }

const cacheOf = defineCache<Everything>('advertising', { max: 1, ttlMs: 60_000 })

/** Spaces and advertisements, from memory: every client asks for them when it starts. */
const readAll = (ctx: Context) =>
  cacheOf(ctx).get('all', async () => {
    const [spaces, rows] = await Promise.all([listSpaces(ctx.sql), listAdvertisements(ctx.sql)])
    return {
      spaces: spaces.map(spaceView),
      advertisements: rows.map((row) => advertisementView(ctx, row)),
    }
  })

export const readSpaces = async (ctx: Context): Promise<AdvertisingSpace[]> => (await readAll(ctx)).spaces

/** What some spaces show, the lowest `sort` first. */
export async function readAdvertisements(ctx: Context, spaceIds: number[]): Promise<Advertisement[]> {
  const { advertisements } = await readAll(ctx)
  return advertisements.filter(({ space_id: id }) => spaceIds.includes(id))
}

/** What one space shows; 404 when there is none. */
export async function readSpace(ctx: Context, id: number): Promise<Advertisement[]> {
  if (!(await readSpaces(ctx)).some((space) => space.id === id)) throw noSuchSpace()
  return readAdvertisements(ctx, [id])
}

/** What clients show while they start (feeds-34). */
export async function readBootAdvertisements(ctx: Context): Promise<Advertisement[]> {
  const boot = (await readSpaces(ctx)).filter(({ space }) => space === 'boot')
  return readAdvertisements(
    ctx,
    boot.map(({ id }) => id),
  )
}

/** Without these an advertisement of the type shows nothing. */
const REQUIRED: Record<string, readonly string[]> = {
  image: ['image'],
  'feed:analog': ['avatar', 'name', 'content'],
  'news:analog': ['title', 'image'],
}
const PICTURES: readonly string[] = ['image', 'avatar']

/** The fields that the space wants for the type, checked, with pictures of one's own taken into use. */
async function checkData(
  tx: Db,
  userId: number,
  given: Pick<NewAdvertisement, 'space_id' | 'type'> & { data: StoredData },
): Promise<StoredData> {
  const space = (await listSpaces(tx)).find(({ id }) => id === given.space_id)
  if (!space) throw unknownSpace()
  if (!space.allow_type.split(',').includes(given.type)) throw wrongType()
  const wanted = Object.keys((space.format[given.type] ?? {}) as object) as (keyof StoredData)[]
  const data: StoredData = {}
  for (const field of wanted) {
    const value = given.data[field]
    if (value === undefined) continue
    const isNode = typeof value === 'string' && PICTURES.includes(field) && value.startsWith('public:')
    if (isNode) data[field] = await getStoredNode(tx, value, { ownerId: userId, field: `data.${field}` })
    else if (typeof value === 'string' && (PICTURES.includes(field) || field === 'link') && !isAddress(value))
      throw notAnAddress(field)
    else data[field] = value
  }
  const missing = REQUIRED[given.type]?.find((field) => !(field in data))
  if (missing !== undefined) throw missingData(missing)
  return data
}

const isAddress = (text: string) => /^https?:\/\/[^\s/]/i.test(text) && URL.canParse(text)

/** Adds an advertisement in the caller's transaction; call `forgetAdvertising` after its commit. */
export async function addAdvertisement(
  ctx: Context,
  tx: Tx,
  userId: number,
  input: NewAdvertisement,
): Promise<number> {
  const data = await checkData(tx, userId, input)
  const id = await insertAdvertisement(tx, { ...input, sort: input.sort ?? 0, data })
  cacheOf(ctx).announce(tx, 'all')
  return id
}

/** Changes what is given, `data` as a whole, in the caller's transaction. */
export async function changeAdvertisement(
  ctx: Context,
  tx: Tx,
  userId: number,
  row: AdvertisementRow,
  changes: Partial<NewAdvertisement>,
): Promise<void> {
  const changed = { ...row, ...changes }
  await updateAdvertisement(tx, row.id, { ...changed, data: await checkData(tx, userId, changed) })
  cacheOf(ctx).announce(tx, 'all')
}

/** Takes an advertisement away, in the caller's transaction. */
export async function removeAdvertisement(ctx: Context, tx: Tx, id: number): Promise<void> {
  await deleteAdvertisement(tx, id)
  cacheOf(ctx).announce(tx, 'all')
}

/** Makes this node read everything anew at once. */
export const forgetAdvertising = (ctx: Context) => cacheOf(ctx).drop('all')

import { wireTime, withWireTimes } from '#lib/time.ts'
import { attachmentView, getStoredNode, type StoredNode } from '#modules/files/index.ts'
import type { Context } from '#platform/context.ts'
import { type Db, type Tables, type Tx, when } from '#platform/database'
import { apiError, invalidField } from '#platform/errors.ts'
import { fieldName } from '#platform/field-names.ts'
import { Id, IdList, Int, MAX_ID, OpenObject, Shared, type Static, Text, Time, Type } from '#platform/http'
import { defineCache } from '#platform/memory'

export const noSuchSpace = apiError(404, 'no_such_space', 'This space does not exist.', '广告位不存在。')
export const noSuchAdvertisement = apiError(
  404,
  'no_such_advertisement',
  'This advertisement does not exist.',
  '广告不存在。',
)

const unknownSpace = () =>
  invalidField('space_id', { en: 'This space does not exist.', zh: '广告位不存在。' })

const wrongType = () =>
  invalidField('type', { en: 'This space does not accept this type.', zh: '该广告位不支持此类型的广告。' })

const missingData = (field: string) =>
  invalidField(`data.${field}`, {
    en: `The data.${field} field is required for this type.`,
    zh: `此类型的广告必须填写${fieldName(`data.${field}`)}。`,
  })

const notAnAddress = (field: string) =>
  invalidField(`data.${field}`, {
    en: `The data.${field} field must be an http or https URL.`,
    zh: `${fieldName(`data.${field}`)}必须是 http 或 https 地址。`,
  })

export const AdvertisingSpace = Shared('AdvertisingSpace', {
  id: Type.Integer(),
  channel: Type.String(),
  space: Type.String(),
  alias: Type.String(),
  allow_type: Type.String({ description: 'Types of advertisements, separated by commas' }),
  format: OpenObject,
  created_at: Time,
  updated_at: Time,
})
export type AdvertisingSpace = Static<typeof AdvertisingSpace>

export const Advertisement = Shared('Advertisement', {
  id: Type.Integer(),
  space_id: Type.Integer(),
  title: Type.String(),
  type: Type.String(),
  data: OpenObject,
  sort: Type.Integer(),
  created_at: Time,
  updated_at: Time,
})
export type Advertisement = Static<typeof Advertisement>

export const SpaceParams = Type.Object({ space: Id })
export const SpacesQuery = Type.Object({ space: Type.Optional(IdList()) })

const Picture = Text(2000, { description: 'A URL, or the node of a picture that you uploaded' })

const AdvertisingData = Shared('AdvertisingData', {
  image: Type.Optional(Picture),
  avatar: Type.Optional(Picture),
  link: Type.Optional(Text(2000)),
  name: Type.Optional(Text(100)),
  title: Type.Optional(Text(255)),
  from: Type.Optional(Text(100)),
  content: Type.Optional(Text(2000)),
  time: Type.Optional(Text(19, { pattern: '^\\d{4}-\\d\\d-\\d\\d( \\d\\d:\\d\\d:\\d\\d)?$' })),
})
type AdvertisingData = Static<typeof AdvertisingData>

export const NewAdvertisement = Shared('NewAdvertisement', {
  space_id: Int(1, MAX_ID),
  title: Text(100),
  type: Text(50),
  data: AdvertisingData,
  sort: Type.Optional(Int(0, 1_000_000, { default: 0 })),
})
export type NewAdvertisement = Static<typeof NewAdvertisement>

type StoredData = { [Field in keyof AdvertisingData]?: string | StoredNode }

export type AdvertisementRow = Tables['advertising'] & { data: StoredData }

export const advertisementColumns = (sql: Db) => sql`
  a.id, a.space_id, a.title, a.type, a.data, a.sort, a.created_at, a.updated_at`

const listSpaces = (sql: Db) => sql<AdvertisingSpace[]>`
  select id, channel, space, alias, allow_type, format, created_at, updated_at from advertising_spaces order by id`

const listAdvertisements = (sql: Db) => sql<AdvertisementRow[]>`
  select ${advertisementColumns(sql)} from advertising a order by a.sort, a.id`

export async function findAdvertisement(
  sql: Db,
  id: number,
  { lock = false } = {},
): Promise<AdvertisementRow | undefined> {
  const [row] = await sql<AdvertisementRow[]>`
    select ${advertisementColumns(sql)} from advertising a where a.id = ${id} ${when(sql, lock, () => sql`for update`)}`
  return row
}

type Columns = Pick<AdvertisementRow, 'space_id' | 'title' | 'type' | 'data' | 'sort'>

async function insertAdvertisement(sql: Db, made: Columns): Promise<number> {
  const [row] = await sql<[{ id: number }]>`
    insert into advertising (space_id, title, type, data, sort)
    values (${made.space_id}, ${made.title}, ${made.type}, ${sql.json(made.data as never)}, ${made.sort})
    returning id`
  return row.id
}

const updateAdvertisement = (sql: Db, id: number, made: Columns) => sql`
  update advertising set space_id = ${made.space_id}, title = ${made.title}, type = ${made.type},
    data = ${sql.json(made.data as never)}, sort = ${made.sort}, updated_at = now()
  where id = ${id}`

const deleteAdvertisement = (sql: Db, id: number) => sql`delete from advertising where id = ${id}`

export const advertisementView = (ctx: Context, row: AdvertisementRow): Advertisement => ({
  ...row,
  data: Object.fromEntries(
    Object.entries(row.data).map(([field, value]) => [
      field,
      typeof value === 'object' ? (attachmentView(ctx, value)?.url ?? '') : value,
    ]),
  ),
  created_at: wireTime(row.created_at),
  updated_at: wireTime(row.updated_at),
})

const spaceView = (row: AdvertisingSpace): AdvertisingSpace => ({
  ...withWireTimes(row),
})

type Everything = {
  spaces: AdvertisingSpace[]
  advertisements: Advertisement[]
  /** The advertisements of the launch screen. */
  boot: Advertisement[]
}

const cacheOf = defineCache<Everything>('advertising', { max: 1, ttlMs: 60_000 })

/** Caches all spaces and advertisements, because every client requests advertisements when it starts. */
const readAll = (ctx: Context) =>
  cacheOf(ctx).get('all', async () => {
    const [spaces, rows] = await Promise.all([listSpaces(ctx.sql), listAdvertisements(ctx.sql)])
    const advertisements = rows.map((row) => advertisementView(ctx, row))
    const bootSpaces = new Set(spaces.filter(({ space }) => space === 'boot').map(({ id }) => id))
    return {
      spaces: spaces.map(spaceView),
      advertisements,
      boot: advertisements.filter(({ space_id: id }) => bootSpaces.has(id)),
    }
  })

export const readSpaces = async (ctx: Context): Promise<AdvertisingSpace[]> => (await readAll(ctx)).spaces

export async function readAdvertisements(ctx: Context, spaceIds: number[]): Promise<Advertisement[]> {
  const { advertisements } = await readAll(ctx)
  return advertisements.filter(({ space_id: id }) => spaceIds.includes(id))
}

export async function readSpace(ctx: Context, id: number): Promise<Advertisement[]> {
  if (!(await readSpaces(ctx)).some((space) => space.id === id)) throw noSuchSpace()
  return readAdvertisements(ctx, [id])
}

export const readBootAdvertisements = async (ctx: Context): Promise<Advertisement[]> =>
  (await readAll(ctx)).boot

const REQUIRED: Record<string, readonly string[]> = {
  image: ['image'],
  'feed:analog': ['avatar', 'name', 'content'],
  'news:analog': ['title', 'image'],
}
const PICTURES: readonly string[] = ['image', 'avatar']

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

export async function addAdvertisement(
  ctx: Context,
  tx: Tx,
  userId: number,
  input: NewAdvertisement,
): Promise<number> {
  const data = await checkData(tx, userId, input)
  const id = await insertAdvertisement(tx, { ...input, sort: input.sort ?? 0, data })
  await cacheOf(ctx).announce(tx, 'all')
  return id
}

export async function changeAdvertisement(
  ctx: Context,
  tx: Tx,
  userId: number,
  row: AdvertisementRow,
  changes: Partial<NewAdvertisement>,
): Promise<void> {
  const changed = { ...row, ...changes }
  await updateAdvertisement(tx, row.id, { ...changed, data: await checkData(tx, userId, changed) })
  await cacheOf(ctx).announce(tx, 'all')
}

export async function removeAdvertisement(ctx: Context, tx: Tx, id: number): Promise<void> {
  await deleteAdvertisement(tx, id)
  await cacheOf(ctx).announce(tx, 'all')
}

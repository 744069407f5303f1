import { groupBy } from '#lib/lists.ts'
import { escapeLike, grams, gramsOfQuery, nameKey } from '#lib/text.ts'
import { withWireTimes } from '#lib/time.ts'
import { type Db, onConstraint, type Tx, when } from '#platform/database'
import { apiError, fieldError, invalidField } from '#platform/errors.ts'
import { Int, MAX_ID, Nullable, OpenObject, Shared, type Static, Text, Time, Type } from '#platform/http'

export const noSuchArea = apiError(404, 'no_such_area', 'This area does not exist.', '地区不存在。')

export const areaInUse = apiError(
  422,
  'area_in_use',
  'This area contains other areas.',
  '该地区下还有其他地区，不能删除。',
)

export const areaTaken = fieldError(
  'name',
  'area_name_taken',
  'An area with this name already exists.',
  '该地区已存在。',
)

const unknownParent = () => invalidField('pid', { en: 'This area does not exist.', zh: '上级地区不存在。' })

const tooDeep = () => invalidField('pid', { en: 'Areas can have at most four levels.', zh: '地区最多四级。' })

const blankName = () => invalidField('name', { en: 'The name field is required.', zh: '名称不能为空。' })

export const Area = Shared('Area', {
  id: Type.Integer(),
  name: Type.String(),
  pid: Type.Integer({ description: 'Id of the parent area; 0 at the top level' }),
  extends: Type.String(),
  longitude: Nullable(Type.Number({ description: 'Degrees; null when unknown' })),
  latitude: Nullable(Type.Number()),
  created_at: Time,
  updated_at: Time,
})
export type Area = Static<typeof Area>

export const FoundArea = Shared('FoundArea', {
  items: Type.Unsafe<Area[] | null>({
    type: ['array', 'null'],
    items: Area,
    description: 'Direct children; null from the third level on',
  }),
  tree: Shared('AreaTree', { ...Area.properties, parent: Nullable(OpenObject) }),
})
export type FoundArea = Static<typeof FoundArea>

export const AreaSearch = Type.Object({ name: Text(100) })

export const NewArea = Shared('NewArea', {
  name: Text(100),
  extends: Type.Optional(Text(255, { 'x-empty': true })),
  longitude: Type.Optional(Nullable(Type.Number({ minimum: -180, maximum: 180 }))),
  latitude: Type.Optional(Nullable(Type.Number({ minimum: -90, maximum: 90 }))),
  pid: Type.Optional(Int(0, MAX_ID, { description: 'Default 0: top level' })),
})
export type NewArea = Static<typeof NewArea>

export const areaColumns = (sql: Db) => sql`
  a.id, a.name, coalesce(a.parent_id, 0)::bigint as pid, a.extra as "extends", a.longitude, a.latitude, a.created_at, a.updated_at`

export const areaNamed = (sql: Db, text: string | undefined) => {
  const key = nameKey(text ?? '')
  return when(
    sql,
    key !== '',
    () => sql`and a.name_grams @> ${gramsOfQuery(key)} and a.name_key like ${`%${escapeLike(key)}%`}`,
  )
}

const searchAreas = (sql: Db, name: string, limit: number) => sql<Area[]>`
  select ${areaColumns(sql)} from areas a where true ${areaNamed(sql, name)}
  order by (a.name_key = ${nameKey(name)}) desc, a.id limit ${limit}`

const listUpwards = (sql: Db, ids: number[]) => sql<Area[]>`
  with recursive up as (
    select * from areas where id = any(${ids}::bigint[])
    union
    select p.* from areas p join up on p.id = up.parent_id
  )
  select ${areaColumns(sql)} from up a`

const listWithin = (sql: Db, ids: number[]) => sql<Area[]>`
  select ${areaColumns(sql)} from areas a where a.parent_id = any(${ids}::bigint[]) order by a.id limit 1000`

export async function findArea(sql: Db, id: number, { lock = false } = {}): Promise<Area | undefined> {
  const [row] = await sql<Area[]>`
    select ${areaColumns(sql)} from areas a where a.id = ${id} ${when(sql, lock, () => sql`for update`)}`
  return row
}

const listNamedIn = (sql: Db, text: string, limit: number) => sql<Area[]>`
  select ${areaColumns(sql)} from areas a
  where a.longitude is not null and position(a.name_key in ${nameKey(text)}) > 0
  order by length(a.name_key) desc, a.id limit ${limit}`

type Columns = Pick<Area, 'name' | 'extends' | 'longitude' | 'latitude'> & { parentId: number | null }

async function insertArea(
  sql: Db,
  { name, extends: extra, longitude, latitude, parentId }: Columns,
): Promise<number> {
  const [row] = await sql<[{ id: number }]>`
    insert into areas (name, name_key, name_grams, extra, parent_id, longitude, latitude)
    values (${name}, ${nameKey(name)}, ${grams(name)}, ${extra}, ${parentId}, ${longitude},
      ${latitude}) returning id`
  return row.id
}

const updateArea = (
  sql: Db,
  id: number,
  { name, extends: extra, longitude, latitude }: Omit<Columns, 'parentId'>,
) => sql`
  update areas set name = ${name}, name_key = ${nameKey(name)}, name_grams = ${grams(name)}, extra = ${extra},
    longitude = ${longitude}, latitude = ${latitude}, updated_at = now()
  where id = ${id}`

const deleteArea = (sql: Db, id: number) => sql`delete from areas where id = ${id}`

export const areaView = (row: Area): Area => ({
  ...withWireTimes(row),
})

const FOUND_MAX = 5
const LEVELS_MAX = 4
/** First level of the area tree whose areas are returned without children (feeds-32). */
const LEVEL_WITHOUT_ITEMS = 3

type Tree = Area & { parent: Tree | null }

export async function findPlaces(sql: Db, name: string): Promise<FoundArea[]> {
  const found = await searchAreas(sql, name, FOUND_MAX)
  const ids = found.map(({ id }) => id)
  const [around, within] = await Promise.all([listUpwards(sql, ids), listWithin(sql, ids)])
  const byId = new Map(around.map((row) => [row.id, areaView(row)]))
  const items = groupBy(within.map(areaView), ({ pid }) => pid)
  const treeOf = (area: Area): Tree => {
    const parent = byId.get(area.pid)
    return { ...area, parent: parent ? treeOf(parent) : null }
  }
  const levelOf = (tree: Tree): number => 1 + (tree.parent ? levelOf(tree.parent) : 0)
  return found.map((row) => {
    const tree = treeOf(areaView(row))
    return { items: levelOf(tree) < LEVEL_WITHOUT_ITEMS ? (items.get(row.id) ?? []) : null, tree }
  })
}

const CANDIDATES_MAX = 50

export type LocatedArea = { longitude: number; latitude: number; path: string[] }

/** Prefers the area whose path has the most names in the address, then the deepest area. */
export async function locateAddress(sql: Db, address: string): Promise<LocatedArea | undefined> {
  const found = await listNamedIn(sql, address, CANDIDATES_MAX)
  const around = await listUpwards(
    sql,
    found.map(({ id }) => id),
  )
  const byId = new Map(around.map((row) => [row.id, row]))
  const pathOf = (area: Area): string[] => {
    const parent = byId.get(area.pid)
    return [...(parent ? pathOf(parent) : []), area.name]
  }
  const key = nameKey(address)
  const [best] = found
    .map((area) => ({ area, path: pathOf(area) }))
    .map((each) => ({ ...each, named: each.path.filter((name) => key.includes(nameKey(name))).length }))
    .sort((a, b) => b.named - a.named || b.path.length - a.path.length || a.area.id - b.area.id)
  if (!best || best.area.longitude === null || best.area.latitude === null) return undefined
  return { longitude: best.area.longitude, latitude: best.area.latitude, path: best.path }
}

const TAKEN = {
  areas_name_taken: areaTaken,
  areas_on_earth: () =>
    invalidField('longitude', {
      en: 'Enter both a longitude and a latitude.',
      zh: '经度和纬度必须同时填写。',
    }),
}

export async function addArea(
  tx: Tx,
  { name, pid = 0, extends: extra = '', longitude = null, latitude = null }: NewArea,
): Promise<number> {
  if (nameKey(name) === '') throw blankName()
  const above = pid === 0 ? [] : await listUpwards(tx, [pid])
  if (pid !== 0 && above.length === 0) throw unknownParent()
  if (above.length >= LEVELS_MAX) throw tooDeep()
  return onConstraint(
    insertArea(tx, { name, extends: extra, longitude, latitude, parentId: pid === 0 ? null : pid }),
    {
      ...TAKEN,
      areas_parent: unknownParent,
    },
  )
}

export async function changeArea(
  tx: Tx,
  area: Area,
  {
    name = area.name,
    extends: extra = area.extends,
    longitude = area.longitude,
    latitude = area.latitude,
  }: Partial<NewArea>,
): Promise<void> {
  if (nameKey(name) === '') throw blankName()
  await onConstraint(updateArea(tx, area.id, { name, extends: extra, longitude, latitude }), TAKEN)
}

export async function removeArea(tx: Tx, id: number): Promise<void> {
  await onConstraint(deleteArea(tx, id), { areas_parent: areaInUse })
}

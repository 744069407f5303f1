import { groupBy } from '#lib/lists.ts'
import { nameKey } from '#lib/text.ts'
import { type Db, onConstraint, type Tx } from '#platform/database.ts'
import { invalidField } from '#platform/errors.ts'
import { areaInUse, areaTaken, blankName, tooDeep, unknownParent } from './errors.ts'
import {
  deleteArea,
  insertArea,
  listNamedIn,
  listUpwards,
  listWithin,
  searchAreas,
  updateArea,
} from './queries.ts'
import type { Area, FoundArea, NewArea } from './schema.ts'
import { areaView } from './view.ts'

const FOUND_MAX = 5
const LEVELS_MAX = 4
/** From this level on what is inside a found area is not listed (feeds-32). */
const LEVEL_WITHOUT_ITEMS = 3

type Tree = Area & { parent: Tree | null }

/** Up to five areas by a part of their name, each with what is in it and what it is in. */
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

/** An area and all it is in, from the top. */
export type LocatedArea = { longitude: number; latitude: number; path: string[] }

/** The area with a known place that an address names best: with the most of what it is in, then the innermost. */
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
      en: 'A place has both a longitude and a latitude.',
      zh: '经度和纬度必须同时填写。',
    }),
}

/** Adds an area under another, or at the top. */
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

/** Changes the name or the remark of an area, which stays where it is. */
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

/** Deletes an area that holds no others. */
export async function removeArea(tx: Tx, id: number): Promise<void> {
  await onConstraint(deleteArea(tx, id), { areas_parent: areaInUse })
}

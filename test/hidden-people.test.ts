import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fillTables } from '#test/fixtures/crowd.ts'
import { lengthenLists } from '#test/fixtures/long-lists.ts'
import { createWorld } from '#test/world.ts'

/** Lists that show people to the viewer in spite of a block, with the reason (relations-2). */
const UNFILTERED: Record<string, string> = {
  '/categories/{category}/groups': 'names the founder of each group',
  '/groups': 'names the founder of each group',
  '/groups/users': 'names the founder of each group',
  '/recommend/groups': 'names the founder of each group',
  '/round/groups': 'names the founder of each group',
  '/user-groups': 'names the founder of each group',
  '/search': 'names the founder of each group, and hides users and their content',
  '/groups/{group}/incomes': 'is a book of the group',
  '/groups/{group}/members': 'shows all members to a manager, as the viewer is one',
  '/news/comments/pinneds': 'has the requests that the viewer decides on',
  '/pinned/comments': 'has the requests that the viewer decides on',
  '/pinned/posts': 'has the requests that the viewer decides on',
  '/reports': 'has the requests that the viewer decides on',
  '/user-group-audit-members': 'has the requests that the viewer decides on',
  '/questions/{question}': 'is one question, with the answers that it adopted',
  '/user/blacks': 'is the list of blocks',
  '/user/invitees': 'is a book of the viewer',
  '/user/mutes': 'is the list of mutes',
}

type Schema = { $ref?: string; type?: string; enum?: unknown[]; properties?: Record<string, Schema> }
type Parameter = { in: string; name: string; required?: boolean; schema: Schema }
type Operation = { deprecated?: boolean; parameters?: Parameter[] }
const document = JSON.parse(readFileSync('openapi.json', 'utf8')) as {
  paths: Record<string, { get?: Operation }>
}

const lists = Object.entries(document.paths).flatMap(([path, { get }]) => {
  if (!get || get.deprecated || /\/admin\/|\/stream$|\/files\//.test(path)) return []
  const query = (get.parameters ?? []).filter((each) => each.in === 'query')
  const needed = query
    .filter(
      ({ name, required }) =>
        (required && name !== 'q') || (name === 'type' && path === '/user/notifications'),
    )
    .map(({ name, schema }) => `${name}=${schema.enum?.at(-1) ?? (schema.type === 'integer' ? 1 : 0.2)}`)
  if (path.endsWith('/search')) needed.push('q=x')
  if (query.some(({ name }) => name === 'limit')) needed.push('limit=100')
  return [{ path: path.replace('/api/v2', ''), needed: needed.join('&') }]
})

type Json = null | string | number | boolean | Json[] | { [name: string]: Json }

/** Ids of the authors of all rows in a reply: users in arrays, and the authors of objects in arrays. */
function authorsIn(value: Json, isRow = false): number[] {
  if (Array.isArray(value)) return value.flatMap((each) => authorsIn(each, true))
  if (value === null || typeof value !== 'object') return []
  const { id, user_id: author, user, blacked } = value
  const own = isRow ? [blacked === undefined ? null : id, author, (user as { id?: Json } | null)?.id] : []
  return [
    ...own.filter((each): each is number => typeof each === 'number' && each > 0),
    ...Object.values(value).flatMap((each) => authorsIn(each)),
  ]
}

test('hides people with a block in either direction from every list (relations-2)', async (t) => {
  const { as, person, sql } = await createWorld()
  const viewer = await person()
  await fillTables(sql, 200)
  await lengthenLists(sql)
  await sql`delete from user_blocks`
  await sql`insert into user_mutes (user_id, target_id) values (${viewer.id}, 2) on conflict do nothing`
  const read = async () => {
    const shown = new Map<string, Set<number>>()
    for (const { path, needed } of lists)
      for (const id of path.includes('{') ? [7, 1, 9, 2, 8, 11, 12, 13] : [0]) {
        const { status, body } = await as(viewer, 'GET', `${path.replace(/\{\w+\}/g, String(id))}?${needed}`)
        const others = status === 200 ? authorsIn(body).filter((each) => each !== viewer.id) : []
        shown.set(path, new Set([...(shown.get(path) ?? []), ...others]))
      }
    return [...shown].filter(([, ids]) => ids.size > 0)
  }
  const before = await read()
  t.diagnostic(`${before.length} of ${lists.length} reads show other people`)
  assert.ok(before.length > 60, `only ${before.length} lists show other people`)
  await sql`
    insert into user_blocks (user_id, target_id)
    select case when id % 2 = 0 then ${viewer.id}::bigint else id end, case when id % 2 = 0 then id else ${viewer.id}::bigint end
    from users where id <> ${viewer.id}`
  const after = await read()
  const hidden = new Set(after.map(([path]) => path))
  assert.deepEqual(
    Object.keys(UNFILTERED).filter((path) => !hidden.has(path)),
    [],
    'exceptions that are not needed',
  )
  assert.deepEqual(
    after.filter(([path]) => !(path in UNFILTERED)).map(([path, ids]) => [path, [...ids].slice(0, 5)]),
    [],
  )
})

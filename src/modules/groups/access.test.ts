import assert from 'node:assert/strict'
import { test } from 'node:test'
import { groupMaker } from '#test/fixtures/groups.ts'
import { questionsOf } from '#test/fixtures/questions.ts'
import { uploadPicture } from '#test/fixtures/uploads.ts'
import { createWorld, type Person } from '#test/world.ts'

const world = await createWorld()
const { app, as, guest, person, sql } = world
const { category, group, memberId, member, post } = groupMaker(world)
const { grant } = questionsOf(world)

const founder = await person()
const id = await group(founder, { mode: 'private' })
const [plain, bad, admin] = [await member(id, founder), await member(id, founder), await member(id, founder)]
const [pending, stranger, site] = [
  await person(),
  await person(),
  await person({ roles: ['founder', 'owner'] }),
]
await as(pending, 'PUT', `/groups/${id}`)
await as(founder, 'PUT', `/groups/${id}/managers/${await memberId(id, admin)}`)
await as(founder, 'PUT', `/groups/${id}/blacklist/${await memberId(id, bad)}`)
const postId = await post(plain, id)
const comment = (await as(founder, 'POST', `/group-posts/${postId}/comments`, { body: 'Here' })).body.comment
for (const [who, content] of [
  [plain, `posts/${postId}`],
  [founder, `comments/${comment.id}`],
] as const) {
  await grant(who, 100)
  const asked = await as(who, 'POST', `/currency-pinned/${content}`, { amount: 10, day: 1 })
  assert.equal(asked.status, 201)
}
await as(admin, 'POST', `/reports/posts/${postId}`, { content: 'Hm' })
const [report] = await sql<[{ id: number }]>`select id from group_reports`
const hidden = await category()
await as(site, 'POST', '/admin/group-recommends', { group_id: id })

const ids: Record<string, number> = {
  group: id,
  post: postId,
  comment: comment.id,
  report: report.id,
  category: hidden,
  id: hidden,
}
const people: (Person | null)[] = [null, stranger, pending, plain, bad, admin, founder, site]

/**
 * Expected statuses, one for each user of `people`. With 422, access is granted, but the empty body or the
 * requested change is invalid.
 */
const MATRIX: Record<string, string> = {
  'GET /categories': '200 200 200 200 200 200 200 200',
  'GET /categories/:category/groups': '200 200 200 200 200 200 200 200',
  'POST /categories/:category/groups': '401 422 422 422 422 422 422 422',
  'GET /groups': '200 200 200 200 200 200 200 200',
  'GET /recommend/groups': '200 200 200 200 200 200 200 200',
  'GET /round/groups?longitude=1&latitude=1': '200 200 200 200 200 200 200 200',
  'GET /groups/count': '200 200 200 200 200 200 200 200',
  'GET /groups/protocol': '200 200 200 200 200 200 200 200',
  'GET /groups/users?user_id=1': '200 200 200 200 200 200 200 200',
  'GET /user-groups': '401 200 200 200 200 200 200 200',
  'GET /groups/:group': '200 200 200 200 200 200 200 200',
  'POST /groups/:group': '401 403 403 403 403 201 201 403',
  'PUT /group/groups/:group/bind-im-group': '401 403 403 403 403 403 422 403',
  'PUT /groups/:group/bind-im-group': '401 403 403 403 403 403 422 403',
  'POST /groups/:group/reports': '401 422 422 422 422 422 422 422',
  'PUT /groups/:group': '401 201 422 422 422 422 422 201',
  'PUT /currency-groups/:group': '401 201 422 422 422 422 422 201',
  'DELETE /groups/:group/exit': '401 403 204 204 403 204 403 403',
  'GET /groups/:group/members': '200 200 200 200 200 200 200 200',
  'GET /groups/:group/members?type=blacklist': '403 403 403 403 403 200 200 403',
  'GET /groups/:group/members?type=audit': '403 403 403 403 403 200 200 403',
  'GET /groups/:group/role/count': '401 200 200 200 200 200 200 200',
  'GET /user-group-audit-members': '401 200 200 200 200 200 200 200',
  'PATCH /groups/:group/members/:member/audit pending': '401 403 403 403 403 422 422 403',
  'PATCH /currency-groups/:group/members/:member/audit pending': '401 403 403 403 403 422 422 403',
  'DELETE /groups/:group/members/:member plain': '401 403 403 403 403 204 204 403',
  'DELETE /groups/:group/members/:member admin': '401 403 403 403 403 403 204 403',
  'DELETE /groups/:group/members/:member founder': '401 403 403 403 403 403 403 403',
  'PUT /groups/:group/managers/:member plain': '401 403 403 403 403 403 201 403',
  'DELETE /groups/:group/managers/:member admin': '401 403 403 403 403 403 204 403',
  'PUT /groups/:group/blacklist/:member plain': '401 403 403 403 403 201 201 403',
  'PUT /groups/:group/blacklist/:member founder': '401 403 403 403 403 403 403 403',
  'DELETE /groups/:group/blacklist/:member bad': '401 403 403 403 403 204 204 403',
  'PATCH /groups/:group/permissions': '401 403 403 403 403 422 422 403',
  'PATCH /groups/:group/owner': '401 403 403 403 403 403 422 403',
  'GET /groups/:group/incomes': '401 403 403 403 403 403 200 403',
  'GET /groups/:group/posts': '404 404 404 200 404 200 200 404',
  'GET /groups/:group/posts/:post': '404 404 404 200 404 200 200 404',
  'POST /groups/:group/posts': '401 403 403 422 403 422 422 403',
  'PUT /groups/:group/posts/:post': '401 404 404 422 404 403 403 404',
  'DELETE /groups/:group/posts/:post': '401 404 404 204 404 204 204 404',
  'GET /group-posts': '200 200 200 200 200 200 200 200',
  'GET /user-group-posts': '401 200 200 200 200 200 200 200',
  'GET /user-post-collections': '401 200 200 200 200 200 200 200',
  'GET /group/simple-posts?id=:post': '200 200 200 200 200 200 200 200',
  'GET /simple-posts?id=:post': '200 200 200 200 200 200 200 200',
  'GET /group/groups/:group/preview-posts': '200 200 200 200 200 200 200 200',
  'GET /groups/:group/preview-posts': '200 200 200 200 200 200 200 200',
  'PUT /group/posts/:post/toggle-excellent': '401 404 404 403 404 204 204 404',
  'PUT /posts/:post/toggle-excellent': '401 404 404 403 404 204 204 404',
  'GET /group-posts/:post/likes': '404 404 404 200 404 200 200 404',
  'POST /group-posts/:post/likes': '401 404 404 201 404 201 201 404',
  'DELETE /group-posts/:post/likes': '401 404 404 422 404 422 422 404',
  'POST /group-posts/:post/collections': '401 404 404 201 404 201 201 404',
  'DELETE /group-posts/:post/uncollect': '401 404 404 422 404 422 422 404',
  'GET /group-posts/:post/comments': '404 404 404 200 404 200 200 404',
  'POST /group-posts/:post/comments': '401 404 404 422 404 422 422 404',
  'DELETE /group-posts/:post/comments/:comment': '401 404 404 403 404 204 204 404',
  'GET /group-posts/:post/rewards': '404 404 404 200 404 200 200 404',
  'POST /group-posts/:post/new-rewards': '401 404 404 422 404 422 422 404',
  'POST /group-posts/:post/rewards': '401 404 404 422 404 422 422 404',
  'GET /reports': '401 200 200 200 200 200 200 200',
  'GET /reports?group_id=:group': '401 403 403 403 403 200 200 403',
  'POST /reports/posts/:post': '401 404 404 422 404 422 422 404',
  'POST /reports/comments/:comment': '401 404 404 422 404 422 422 404',
  'PATCH /reports/:report/accept': '401 403 403 403 403 201 201 403',
  'PATCH /reports/:report/reject': '401 403 403 403 403 201 201 403',
  'GET /pinned/posts': '401 200 200 200 200 200 200 200',
  'GET /pinned/comments': '401 200 200 200 200 200 200 200',
  'POST /pinned/posts/:post/create': '401 404 404 403 404 422 422 404',
  'PATCH /pinned/posts/:post/cancel': '401 404 404 403 404 422 422 404',
  'POST /currency-pinned/posts/:post': '401 404 404 422 404 422 422 404',
  'POST /pinned/posts/:post': '401 404 404 422 404 422 422 404',
  'PATCH /currency-pinned/posts/:post/accept': '401 404 404 403 404 403 201 404',
  'PATCH /currency-pinned/posts/:post/reject': '401 404 404 403 404 403 201 404',
  'PATCH /pinned/posts/:post/accept': '401 404 404 403 404 403 201 404',
  'PATCH /pinned/posts/:post/reject': '401 404 404 403 404 403 201 404',
  'POST /currency-pinned/comments/:comment': '401 404 404 403 404 403 422 404',
  'POST /pinned/comments/:comment': '401 404 404 403 404 403 422 404',
  'PATCH /currency-pinned/comments/:comment/accept': '401 404 404 201 404 403 403 404',
  'PATCH /currency-pinned/comments/:comment/reject': '401 404 404 201 404 403 403 404',
  'PATCH /pinned/comments/:comment/accept': '401 404 404 201 404 403 403 404',
  'PATCH /pinned/comments/:comment/reject': '401 404 404 201 404 403 403 404',
  'GET /admin/group-categories': '401 403 403 403 403 403 403 200',
  'GET /admin/group-categories/:id': '401 403 403 403 403 403 403 200',
  'POST /admin/group-categories': '401 403 403 403 403 403 403 422',
  'PATCH /admin/group-categories/:id': '401 403 403 403 403 403 403 204',
  'DELETE /admin/group-categories/:id': '401 403 403 403 403 403 403 204',
  'GET /admin/groups': '401 403 403 403 403 403 403 200',
  'GET /admin/groups/:group': '401 403 403 403 403 403 403 200',
  'PATCH /admin/groups/:group': '401 403 403 403 403 403 403 204',
  'DELETE /admin/groups/:group': '401 403 403 403 403 403 403 204',
  'GET /admin/group-recommends': '401 403 403 403 403 403 403 200',
  'POST /admin/group-recommends': '401 403 403 403 403 403 403 422',
  'DELETE /admin/group-recommends/:group': '401 403 403 403 403 403 403 204',
  'GET /admin/group-posts': '401 403 403 403 403 403 403 200',
  'GET /admin/group-posts/:post': '401 403 403 403 403 403 403 200',
  'DELETE /admin/group-posts/:post': '401 403 403 403 403 403 403 204',
  'DELETE /admin/group-posts/:post/comments/:comment': '401 403 403 403 403 403 403 204',
}

const PREFIX = '/plus-group'
const members: Record<string, Person> = { pending, plain, admin, founder, bad }

const routes = app.routeTable
  .filter(({ method }) => method !== 'HEAD')
  .map(({ method, url }) => `${method} ${url.replace('/api/v2', '')}`)
/**
 * The only operation that exists solely under `/plus-group`. test/access-matrix.test.ts covers it (pins-10).
 */
const ONLY_PREFIXED = 'GET /plus-group/average'
const underPrefix = routes.flatMap((route) =>
  route.includes(PREFIX) && route !== ONLY_PREFIXED ? [route.replace(PREFIX, '')] : [],
)
const ofAdministration = routes.filter((route) => / \/admin\/group/.test(route))

const TABLES = ['comments', 'likes', 'collections', 'pins', 'reports', 'user_counts']
const tables = await sql<{ name: string }[]>`
  select tablename as name from pg_tables
  where schemaname = 'public' and (tablename like 'group%' or tablename = any(${TABLES}))`
await sql.unsafe(
  `create schema saved; ${tables.map(({ name }) => `create table saved.${name} as table ${name};`).join('')}`,
)
for (const { name, constraint } of await sql<{ name: string; constraint: string }[]>`
  select conrelid::regclass::text as name, conname as constraint from pg_constraint
  where contype = 'f' and conrelid::regclass::text = any(${tables.map(({ name }) => name)})`)
  await sql.unsafe(`alter table ${name} alter constraint ${constraint} deferrable`)
const putBack = `set constraints all deferred;
  ${tables.map(({ name }) => `delete from ${name};`).join('')}
  ${tables.map(({ name }) => `insert into ${name} overriding system value table saved.${name};`).join('')}`
const restore = () => sql.begin((tx) => tx.unsafe(putBack))

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

async function ask(row: string, who: (Person | null)[], prefix = ''): Promise<string> {
  const [method, route, target] = row.split(' ') as [Method, string, string?]
  const path = await replaced(route, target)
  const got: number[] = []
  for (const each of who) {
    const address = `${prefix}${path}`
    const { status } = each ? await as(each, method, address, {}) : await guest(method, address, {})
    got.push(status)
    if (method !== 'GET' && status < 300) await restore()
  }
  return got.join(' ')
}

async function replaced(route: string, target: string | undefined): Promise<string> {
  const memberOf = target === undefined ? 0 : await memberId(id, members[target]!)
  return route.replace(/:(\w+)/g, (_, name: string) => String(name === 'member' ? memberOf : ids[name]))
}

test('lists every operation of groups in the access matrix', () => {
  const rows = new Set(Object.keys(MATRIX).map((row) => row.split(' ').slice(0, 2).join(' ').split('?')[0]!))
  assert.deepEqual([...rows].sort(), [...new Set([...underPrefix, ...ofAdministration])].sort())
  assert.ok(underPrefix.length > 70, `found only ${underPrefix.length} operations`)
  for (const route of underPrefix) assert.ok(routes.includes(route), route)
})

for (const [row, statuses] of Object.entries(MATRIX))
  test(`enforces access to ${row}`, async () => {
    assert.equal(await ask(row, people), statuses)
    if (row.includes('/admin/')) return
    // Tests the `/plus-group` path with one user only, because both paths share a handler.
    assert.equal(await ask(row, [plain], PREFIX), statuses.split(' ')[people.indexOf(plain)])
  })

test("serves pictures of a private group's posts only to readers and site administrators (groups-16)", async () => {
  const picture = await uploadPicture(world, plain)
  const shown = await post(plain, id, { images: [picture] })
  const open = await uploadPicture(world, stranger)
  await post(stranger, await group(stranger), { images: [open] })
  const statuses = async (file: number) => {
    const got: number[] = []
    for (const who of people)
      got.push((await (who ? as(who, 'GET', `/files/${file}`) : guest('GET', `/files/${file}`))).status)
    return got.join(' ')
  }
  assert.equal(await statuses(picture), '404 404 404 302 404 302 302 302')
  assert.equal(await statuses(open), '302 302 302 302 302 302 302 302')
  assert.equal((await as(plain, 'DELETE', `/groups/${id}/posts/${shown}`)).status, 204)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fillTables } from '#test/fixtures/crowd.ts'
import { explainer, type Statement } from '#test/fixtures/plans.ts'
import { createWorld } from '#test/world.ts'

const ROWS_MAX = 1500
/** Maximum number of rows read by a list that may scan a table of 10,000 rows once. */
const SCAN_MAX = 10_500
const COUNTING = new Set([
  ...['/admin/group-categories', '/admin/news/categories', '/admin/invitations', '/admin/music/singers'],
  '/admin/users/:user/history',
])

/** Counters have no index. Otherwise every like, comment or view would also update the index. */
const BY_COUNT = / (hits|\w+_count|rewards_amount)$/

let route: string | null = null
let sorted = ''
const statements = new Map<string, Statement & { route: string; sorted: string }>()
const { app, as, person, sql } = await createWorld(
  {},
  {
    onQuery: (statement) => {
      if (route !== null && /^\s*(select|with)\b/i.test(statement.text) && !statements.has(statement.text))
        statements.set(statement.text, { ...statement, route, sorted })
    },
  },
)

type Query = { properties?: Record<string, { enum?: string[] }> }

function queriesOf({ properties = {} }: Query): string[] {
  const sorts = properties.sort?.enum ?? []
  return [
    'limit=25',
    ...sorts.flatMap((sort) => ['asc', 'desc'].map((order) => `limit=25&sort=${sort}&order=${order}`)),
  ]
}

test('reads a bounded number of rows for each page of a console list', async (t) => {
  const founder = await person({ roles: ['founder'] })
  const large = await fillTables(sql)
  const lists = app.routeTable.filter(
    ({ method, url, schema }) =>
      method === 'GET' &&
      url.startsWith('/api/v2/admin/') &&
      (schema?.querystring as Query | undefined)?.properties?.page !== undefined,
  )
  assert.ok(lists.length > 35, `saw only ${lists.length} lists`)
  for (const { url, schema } of lists) {
    const path = url.replace(/:\w+(\([^)]*\))?/g, '7')
    for (const query of queriesOf(schema?.querystring as Query)) {
      route = url.slice('/api/v2'.length)
      sorted = `${route} ${/sort=(\w+)/.exec(query)?.[1]}`
      const { status } = await as(founder, 'GET', `${path}?${query}`)
      assert.ok(status < 400 || (status === 404 && path !== url), `${path}?${query}: ${status}`)
    }
  }
  route = null
  const explain = explainer(sql)
  const faults: string[] = []
  for (const statement of statements.values()) {
    const reads = (await explain(statement)).filter(({ table }) => large.has(table))
    const isWhole =
      BY_COUNT.test(statement.sorted) ||
      COUNTING.has(statement.route) ||
      /^\s*select count\(\*\)/.test(statement.text)
    const rowsOf = Map.groupBy(reads, ({ table }) => table)
    const most = Math.max(
      0,
      ...[...rowsOf.values()].map((each) => each.reduce((sum, { rows }) => sum + rows, 0)),
    )
    const isSlow = isWhole
      ? most > SCAN_MAX
      : most > ROWS_MAX || reads.some(({ node }) => node === 'Seq Scan')
    if (isSlow)
      faults.push(
        `${statement.sorted}: ${reads.map(({ node, table, rows }) => `${node} of ${rows} rows of ${table}`).join(', ')}\n${statement.text.trim()}`,
      )
  }
  t.diagnostic(`explained ${statements.size} statements of ${lists.length} lists`)
  assert.equal(faults.length, 0, `${faults.length} faults\n\n${faults.join('\n\n')}`)
})

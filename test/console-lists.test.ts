import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fillTables } from '#test/fixtures/crowd.ts'
import { explainer, type Statement } from '#test/fixtures/plans.ts'
import { createWorld } from '#test/world.ts'

/** What a page of 25 may look at, whatever it is joined with; the crowd has 10,000 rows in each large table. */
const ROWS_MAX = 1500
/** What counting all that match may read: the table and one beside it, once. */
const COUNTED_MAX = 25_000

/** Made of what happened, whose rows in the crowd make no sense. */
const UNREADABLE = new Set(['/api/v2/admin/users/:user/history'])

let route: string | null = null
const statements = new Map<string, Statement & { route: string }>()
const { app, as, person, sql } = await createWorld(
  { KEPT_PAGES_MB: '0' },
  {
    onQuery: (statement) => {
      if (route !== null && /^\s*(select|with)\b/i.test(statement.text) && !statements.has(statement.text))
        statements.set(statement.text, { ...statement, route })
    },
  },
)

type Query = { properties?: Record<string, { enum?: string[] }> }

/** What the console asks when a list is opened, and when it is sorted by each column. */
function queriesOf({ properties = {} }: Query): string[] {
  const sorts = properties.sort?.enum ?? []
  return [
    'limit=25',
    ...sorts.flatMap((sort) => ['asc', 'desc'].map((order) => `limit=25&sort=${sort}&order=${order}`)),
  ]
}

test('a page of a list of the console reads little, however long the list is', {
  timeout: 230_000,
}, async (t) => {
  const founder = await person({ roles: ['founder'] })
  const large = await fillTables(sql)
  const lists = app.routeTable.filter(
    ({ method, url, schema }) =>
      method === 'GET' &&
      url.startsWith('/api/v2/admin/') &&
      !UNREADABLE.has(url) &&
      (schema?.querystring as Query | undefined)?.properties?.page !== undefined,
  )
  assert.ok(lists.length > 35, `saw only ${lists.length} lists`)
  for (const { url, schema } of lists) {
    const path = url.replace(/:\w+(\([^)]*\))?/g, '7')
    for (const query of queriesOf(schema?.querystring as Query)) {
      route = url.slice('/api/v2'.length)
      const { status } = await as(founder, 'GET', `${path}?${query}`)
      assert.ok(status < 400 || (status === 404 && path !== url), `${path}?${query}: ${status}`)
    }
  }
  route = null
  const explain = await explainer(sql)
  const faults: string[] = []
  for (const statement of statements.values()) {
    const reads = (await explain(statement)).filter(({ table }) => large.has(table))
    const isCount = /^\s*select count\(\*\)/.test(statement.text)
    const rows = reads.reduce((sum, read) => sum + read.rows, 0)
    const isSlow = isCount
      ? rows > COUNTED_MAX
      : rows > ROWS_MAX || reads.some(({ node }) => node === 'Seq Scan')
    if (isSlow)
      faults.push(
        `${statement.route}: ${reads.map(({ node, table, rows }) => `${node} of ${rows} rows of ${table}`).join(', ')}\n${statement.text.trim()}`,
      )
  }
  t.diagnostic(`explained ${statements.size} statements of ${lists.length} lists`)
  assert.equal(faults.length, 0, `${faults.length} faults\n\n${faults.join('\n\n')}`)
})

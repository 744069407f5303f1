import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { CANNOT_LOOK } from '#test/chromium.ts'
import { seedForAccess } from '#test/fixtures/access.ts'
import { openSite } from '#test/web-browser.ts'

const skip = CANNOT_LOOK
const site = skip ? undefined : await openSite()
const ARABIC = 'مرحبا'

/** Columns of texts that members write. */
const COLUMNS =
  /^(?:body|text_body|content|feed_content|subject|title|summary|desc(?:ription)?|bio|notice|contents|reason|remark)$/
/** Tables whose texts are no texts of members, or never change. */
const OTHERS = /^(?:roles|abilities|settings|areas|ledger_.*|.*migrations)$/

const PATHS = globSync('web/src/modules/*/routes.ts').flatMap((file) =>
  [...readFileSync(file, 'utf8').matchAll(/\{ path: '([^']+)',\s+page: /g)].map(([, path = '']) => path),
)

/** Elements with Arabic text of their own that does not begin on the right. */
const ON_THE_LEFT = `[...document.querySelectorAll('body *')]
  .filter((element) => element.checkVisibility() && !element.closest('script, option, textarea'))
  .filter((element) =>
    [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && /\\p{sc=Arab}/u.test(node.data)))
  .filter((element) => getComputedStyle(element).direction !== 'rtl')
  .map((element) => element.tagName + '.' + element.className + ': ' + element.textContent.slice(0, 80))`

test('begins Arabic texts on the right on every page', { skip, timeout: 900_000 }, async () => {
  const { sql, address, open, as } = site!
  const { owner, stranger, address: filled } = await seedForAccess(site!)
  const columns = await sql<{ table: string; column: string }[]>`
    select c.table_name as table, c.column_name as column from information_schema.columns c
    join information_schema.tables t using (table_schema, table_name)
    where c.table_schema = 'public' and t.table_type = 'BASE TABLE' and c.data_type in ('text', 'character varying')
      and c.is_generated = 'NEVER'`
  for (const { table, column } of columns)
    if (COLUMNS.test(column) && !OTHERS.test(table))
      await sql.unsafe(
        `update "${table}" set "${column}" = '${ARABIC} ' || "${column}" where "${column}" <> ''`,
      )
  const { status } = await as(stranger, 'POST', filled('/feeds/{feed}/comments'), { body: ARABIC })
  assert.equal(status, 201)
  const page = await open('/design', { person: owner })
  const wrong: string[] = []
  const shown: string[] = []
  for (const path of [...PATHS, '/notifications/comment']) {
    const url = path.replace(/([\w-]+)\/:\w+/g, (_, noun: string) => filled(`${noun}/{id}`))
    await page.goto(address + url)
    await page.locator('html[data-ready]').waitFor()
    if ((await page.content()).includes(ARABIC)) shown.push(url)
    const found = await page.evaluate<string[]>(ON_THE_LEFT)
    wrong.push(...found.map((each) => `${url}: ${each}`))
  }
  assert.ok(shown.includes('/notifications/comment') && shown.length > 20, shown.join())
  assert.deepEqual(wrong, [])
  await page.context().close()
})

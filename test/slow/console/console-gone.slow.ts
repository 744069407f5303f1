import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { addJob } from '#platform/jobs'
import { CANNOT_LOOK } from '#test/chromium.ts'
import { findings, openConsole, settled } from '#test/console-browser.ts'
import { fillConsole } from '#test/console-contents.ts'
import type { Person } from '#test/world.ts'

const skip = CANNOT_LOOK
const world = skip ? undefined : await openConsole()
const contents = world ? await fillConsole(world) : undefined

/** Collects the requests that the server refuses. */
function refusals(page: Page): string[] {
  const refused: string[] = []
  page.on('response', (response) => {
    if (response.status() >= 400) refused.push(`${response.status()} ${new URL(response.url()).pathname}`)
  })
  return refused
}

async function erase(person: Person): Promise<void> {
  const { sql, work } = world!
  await sql`insert into account_deletions (user_id, due_at) values (${person.id}, now())`
  await addJob(sql, 'erase_accounts', {})
  await work()
  const [row] = await sql<{ erased: boolean }[]>`
    select erased_at is not null as erased from users where id = ${person.id}`
  assert.equal(row?.erased, true)
}

for (const [locale, loading, pending] of [
  ['en', 'Loading…', /^\d+ pending$/],
  ['zh', '加载中…', /^\d+ 项待处理$/],
] as const)
  test(`announces in ${locale} that a queue is loading, and then the number of its items`, {
    skip,
  }, async () => {
    const page = await world!.open('/audit-log', { locale })
    await settled(page)
    const held = Promise.withResolvers<void>()
    await page.route(/\/admin\/reports\?/, async (route) => {
      await held.promise
      await route.continue()
    })
    await page.goto(`${world!.address}/admin/queues/reports`)
    const status = page.getByRole('status').filter({ hasText: loading })
    await status.waitFor()
    assert.equal(await page.locator('article').count(), 0)
    // The placeholder beside the text must be silent.
    assert.equal(await page.locator('main .MuiSkeleton-root:not([aria-hidden=true])').count(), 0)
    assert.deepEqual(await findings(page), [])
    held.resolve()
    await page.getByRole('status').filter({ hasText: pending }).waitFor()
    await page.locator('article').waitFor()
    assert.equal(await status.count(), 0)
    await page.context().close()
    assert.deepEqual(world!.faults, [])
  })

/** Returns the changes that the page of an account offers. */
async function offersOf(page: Page, id: number): Promise<string[]> {
  await page.goto(`${world!.address}/admin/people/${id}/show`)
  const found = new Set<string>()
  for (const tab of ['Points', 'Moderation history', 'Sessions']) {
    await page.getByRole('tab', { name: tab }).click()
    await settled(page)
    for (const name of ['Enable account', 'Recommend', 'Impose sanction', 'Adjust', 'Sign out'])
      if ((await page.getByRole('button', { name }).count()) > 0) found.add(name)
  }
  if ((await page.getByRole('link', { name: 'Edit' }).count()) > 0) found.add('Edit')
  return [...found].sort()
}

test('shows reports about a deleted account without failed requests', { skip }, async () => {
  const { as, person, founder } = world!
  const gone = await person()
  const feed = await as(gone, 'POST', '/feeds', { feed_content: 'Soon gone', feed_from: 1, feed_mark: 9 })
  assert.equal(feed.status, 201)
  for (const path of [`/feeds/${feed.body.id}/reports`, `/report/users/${gone.id}`]) {
    const reported = await as(contents!.other, 'POST', path, { reason: 'About a deleted account' })
    assert.ok(reported.status < 300, `${path}: ${JSON.stringify(reported.body)}`)
  }
  await erase(gone)
  const { data } = (await as(founder, 'GET', `/admin/reports?target_user=${gone.id}`)).body
  const ids: number[] = data.map(({ id }: { id: number }) => id)
  assert.ok(ids.length > 0, 'no report about the account is left')
  const page = await world!.open('/audit-log')
  await settled(page)
  const refused = refusals(page)
  for (const id of ids) {
    await page.goto(`${world!.address}/admin/queues/reports/${id}`)
    await page.locator('article').waitFor()
    await page
      .getByRole('complementary', { name: 'About the user' })
      .getByText('This account was disabled or deleted.')
      .waitFor()
    await settled(page)
    assert.deepEqual(await findings(page), [])
    await page.getByRole('button', { name: 'Remove content or sanction user' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('checkbox', { name: 'Remove the reported content' }).waitFor()
    assert.equal(await dialog.getByRole('combobox', { name: 'Sanction' }).count(), 0)
    await dialog.getByRole('button', { name: 'Cancel' }).click()
  }

  await page.goto(`${world!.address}/admin/people/${gone.id}/show`)
  await page.getByText('This account was disabled or deleted.').waitFor()
  await settled(page)
  assert.deepEqual(await findings(page), [])
  assert.deepEqual(refused, [])
  await page.getByText('deleted by its owner').first().waitFor()
  assert.deepEqual(await offersOf(page, gone.id), [])
  assert.deepEqual(await offersOf(page, contents!.other.id), [
    ...['Adjust', 'Edit', 'Impose sanction', 'Recommend', 'Sign out'],
  ])
  const disabled = await person()
  await as(founder, 'PATCH', `/admin/users/${disabled.id}`, { disabled: true })
  assert.deepEqual(await offersOf(page, disabled.id), [
    ...['Adjust', 'Edit', 'Enable account', 'Impose sanction'],
  ])
  await page.context().close()
  assert.deepEqual(world!.faults, [])
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CANNOT_LOOK } from '#test/chromium.ts'
import { flatPicture } from '#test/fixtures/media.ts'
import { createCategory, createNews, newsEditor } from '#test/fixtures/news.ts'
import { questionsOf } from '#test/fixtures/questions.ts'
import { updateSettings } from '#test/settings.ts'
import { findings, look, openSite, TELEPHONE, until } from '#test/web-browser.ts'

const skip = CANNOT_LOOK
const site = skip ? undefined : await openSite()

test('resubmits a rejected article', {
  skip,
}, async () => {
  const { as, ctx, open, address, sql } = site!
  await updateSettings(ctx, sql, { 'news:contribute:verified': false, 'news:pay-contribute': 30 })
  const editor = await newsEditor(site!)
  const category = await createCategory(site!, editor)
  const [tag] = await sql<[{ id: number }]>`
    with category as (insert into tag_categories (name, name_key) values ('Sea', 'sea') returning id)
    insert into tags (tag_category_id, name, name_key) select id, 'Tides', 'tides' from category returning id`
  const { rich, points } = questionsOf(site!)
  const ada = await rich()
  const before = await points(ada)

  const page = await open('/news/write', { person: ada })
  await page.getByLabel('Title').fill('The tide of Monday')
  await page.getByLabel('Summary').fill('It was higher than told.')
  await page.getByLabel('Text (Markdown)').fill('The water came **twice**.')
  await page.getByLabel('Tides').check()
  const buffer = await flatPicture(60, 30).png().toBuffer()
  await page
    .getByLabel('Insert a picture into the text')
    .setInputFiles([{ name: 'tide.png', mimeType: 'image/png', buffer }])
  await until(
    page,
    '/@!\\[tide.png\\]\\(\\d+\\)/.test(document.querySelector("textarea[rows=\'14\']").value)',
  )
  await page.reload()
  await page.locator('html[data-ready]').waitFor()
  await page.getByRole('region', { name: 'Preview' }).getByText('twice').waitFor()
  await look(page, 'news-write')
  assert.deepEqual(await findings(page), [])
  await page.getByText('Submitting an article costs 30 points.').waitFor()
  await page.getByRole('button', { name: 'Submit for review' }).click()
  await page.getByText('Article submitted. An editor will review it.').waitFor()
  await page.getByText('The tide of Monday').waitFor()
  assert.equal(await points(ada), before - 30)
  const { body: mine } = await as(ada, 'GET', '/api/v2/user/news/contributes?type=1')
  assert.equal(mine.length, 1)

  await sql`update news set audit_status = 3 where id = ${mine[0].id}`
  await page.goto(`${address}/news/mine?state=refused`)
  await page.locator('html[data-ready]').waitFor()
  await look(page, 'news-mine')
  assert.deepEqual(await findings(page), [])
  await page.getByRole('link', { name: 'Edit', exact: true }).click()
  await page.getByRole('heading', { name: 'Edit the article' }).waitFor()
  assert.match(await page.getByLabel('Text (Markdown)').inputValue(), /came \*\*twice\*\*/)
  await page.getByLabel('Title').fill('The tide of Tuesday')
  await page.getByRole('button', { name: 'Submit for review' }).click()
  await page.getByText('The tide of Tuesday').waitFor()
  const { body: again } = await as(ada, 'GET', '/api/v2/user/news/contributes?type=1')
  assert.deepEqual([again[0].title, again[0].id], ['The tide of Tuesday', mine[0].id])
  assert.equal(await points(ada), before - 30)

  await sql`update news set audit_status = 0, published_at = now() where id = ${mine[0].id}`
  const other = await createNews(site!, editor, ada, {
    category_id: category,
    title: 'Other tides',
    tags: [tag.id],
  })
  await page.goto(`${address}/news/${other}`)
  await page.locator('html[data-ready]').waitFor()
  await page
    .getByRole('complementary', { name: 'Related articles' })
    .getByText('The tide of Tuesday')
    .waitFor()
  await page.context().close()

  const lin = await rich()
  const narrow = await open(`/news/${mine[0].id}`, { person: lin, ...TELEPHONE })
  await narrow.getByRole('button', { name: 'Reward' }).click()
  await narrow.getByLabel('Points', { exact: true }).fill('7')
  await narrow.getByRole('button', { name: 'Pay 7 points' }).click()
  await narrow.locator('dialog').waitFor({ state: 'detached' })
  assert.equal(await points(ada), before - 23)
  for (const path of ['/news/write', '/news/mine']) {
    await narrow.goto(address + path)
    await narrow.locator('html[data-ready]').waitFor()
    assert.deepEqual(await findings(narrow), [], path)
    assert.ok(Number(await narrow.evaluate('document.documentElement.scrollWidth')) <= 390, path)
  }
  await narrow.context().close()
  assert.deepEqual(site!.faults, [])
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page, Request } from 'playwright-core'
import { CANNOT_LOOK } from '#test/chromium.ts'
import { openConsole, settled } from '#test/console-browser.ts'
import { groupMaker } from '#test/fixtures/groups.ts'
import { HOSTILE_TEXTS } from '#test/fixtures/hostile-texts.ts'
import { questionsOf } from '#test/fixtures/questions.ts'
import { uploadPicture } from '#test/fixtures/uploads.ts'

const skip = CANNOT_LOOK
const world = skip ? undefined : await openConsole()

const AT_ONCE = 12
const BATCHES = Array.from({ length: Math.ceil(HOSTILE_TEXTS.length / AT_ONCE) }, (_, n) =>
  HOSTILE_TEXTS.slice(n * AT_ONCE, (n + 1) * AT_ONCE),
)
/** Stands after the hostile part of a text, so that a test sees when the text is on the page. */
const endOf = (n: number) => `The end of text ${n}`
const WHOLE = BATCHES.map((texts, n) => `${texts.join('\n\n')}\n\n${endOf(n)}`)

/** Describes requests that a text may not cause. The console itself loads assets, and calls the API by `fetch`. */
function unwanted(request: Request): string[] {
  const { origin, pathname } = new URL(request.url())
  if (/^(data|blob):/.test(request.url()) && request.resourceType() !== 'document') return []
  const isOwn =
    origin === world!.address &&
    (request.resourceType() === 'fetch' || request.resourceType() === 'xhr'
      ? pathname.startsWith('/api/v2/') && !/logout|\.\.|%2e/i.test(request.url())
      : request.resourceType() === 'document'
        ? /^\/admin(\/[a-z-]+)+(\/\d+(\/show)?)?$/.test(pathname)
        : pathname.startsWith('/admin/assets/') || /^\/(api\/v2|storage)\/files\/\d+$/.test(pathname))
  return isOwn ? [] : [`${request.resourceType()} ${request.url()}`]
}

async function openWatched(path: string): Promise<{ page: Page; asked: string[] }> {
  const page = await world!.open('/account')
  const asked: string[] = []
  page.on('request', (request) => asked.push(...unwanted(request)))
  await page.goto(`${world!.address}/admin${path}`)
  return { page, asked }
}

type Element = {
  tagName: string
  attributes: Iterable<{ name: string; value: string }>
  querySelectorAll(path: string): Iterable<Element>
}

/** Lists elements and attributes of the page's texts that the console does not create itself. */
const strangeIn = (page: Page) =>
  page.evaluate(() => {
    const { document } = globalThis as unknown as { document: Element }
    const tags =
      /^(A|B|BLOCKQUOTE|BR|CODE|DEL|DIV|EM|H[1-6]|HR|IMG|LI|OL|P|PRE|SPAN|STRONG|TABLE|TBODY|TD|TH|THEAD|TR|UL)$/
    const values: Record<string, RegExp> = {
      class: /^((kith-|Mui)[\w-]+ ?)+$/,
      dir: /^(auto|ltr)$/,
      href: /^(https?:|mailto:|#|\/(?!api\/|[/\\]))|^\/api\/v2\/files\/\d+(\?[\w=&,-]*)?$/i,
      src: /^\/(api\/v2|storage)\/files\/\d+(\?|$)/,
      id: /^_/,
      rel: /^noreferrer noopener$/,
      target: /^_blank$/,
      scope: /^col$/,
      start: /^\d+$/,
      role: /^(region|img)$/,
      tabindex: /^0$/,
      loading: /^lazy$/,
      alt: /^/,
      'aria-label': /^/,
    }
    const found: string[] = []
    for (const text of document.querySelectorAll('div[dir=auto]'))
      for (const element of text.querySelectorAll('*')) {
        if (!tags.test(element.tagName)) found.push(element.tagName)
        for (const { name, value } of element.attributes)
          if (!values[name]?.test(value)) found.push(`${element.tagName} ${name}="${value}"`)
      }
    return [...new Set(found)]
  })

async function assertHarmless(page: Page, asked: string[], where: string): Promise<void> {
  await settled(page)
  assert.deepEqual(await strangeIn(page), [], where)
  assert.deepEqual(asked, [], where)
  assert.equal(await page.evaluate('globalThis.hacked'), undefined, where)
}

type View = { path: string; store: (text: string) => Promise<unknown> }

async function createViews(): Promise<Record<string, View>> {
  const { as, person, founder, sql } = world!
  const [writer, reporter] = [await person(), await person()]
  const { ask, answer } = questionsOf(world!)
  const { group, post } = groupMaker(world!)
  const made = async (path: string, body: object, by = writer) => {
    const reply = await as(by, 'POST', path, body)
    assert.ok(reply.status < 300, JSON.stringify(reply.body))
    return reply.body.id as number
  }
  const question = await ask(writer, { body: 'Tell' })
  const reply = await answer(writer, question)
  const groupPost = await post(writer, await group(writer))
  const category = await made('/admin/news/categories', { name: 'City' }, founder)
  await made('/admin/news', { title: 'News', content: 'Text', category_id: category }, founder)
  const [article] = await sql<[{ id: number }]>`select id from news`
  const feed = await made('/feeds', { feed_content: 'A feed', feed_from: 1, feed_mark: 1 })
  await as(reporter, 'POST', `/feeds/${feed}/comments`, { body: 'A comment' })
  const { id: chat } = (await as(writer, 'PUT', `/chats/people/${reporter.id}`)).body
  const message = await made(`/chats/${chat}/messages`, { body: 'A message' })
  await as(reporter, 'POST', `/chats/messages/${message}/reports`, { reason: 'rude' })
  const [report] = await sql<[{ id: number }]>`select id from reports`
  return {
    question: {
      path: `/questions/${question}/show`,
      store: (text) => sql`update questions set body = ${text} where id = ${question}`,
    },
    answer: {
      path: `/answers/${reply}/show`,
      store: (text) => sql`update answers set body = ${text} where id = ${reply}`,
    },
    article: {
      path: `/news/${article.id}/show`,
      store: (text) => sql`update news set content = ${text} where id = ${article.id}`,
    },
    'group post': {
      path: `/group-posts/${groupPost}/show`,
      store: (text) => sql`update group_posts set body = ${text} where id = ${groupPost}`,
    },
    'feed and its comment': {
      path: `/feeds/${feed}/show`,
      store: async (text) => {
        await sql`update feeds set feed_content = ${text} where id = ${feed}`
        await sql`update comments set body = ${text} where commentable_id = ${feed}`
      },
    },
    'report of a chat message': {
      path: `/queues/reports/${report.id}`,
      store: async (text) => {
        await sql`update reports set reason = ${text}, subject = ${text.slice(0, 100)} where id = ${report.id}`
        await sql`update chat_messages set body = ${text} where id = ${message}`
      },
    },
  }
}

const views = world ? await createViews() : {}

for (const kind of [
  'question',
  'answer',
  'article',
  'group post',
  'feed and its comment',
  'report of a chat message',
])
  test(`sends no request of a hostile text when the console shows a ${kind}`, { skip }, async () => {
    assert.ok(HOSTILE_TEXTS.length >= 60)
    const { path, store } = views[kind] as View
    await store(endOf(-1))
    const { page, asked } = await openWatched(path)
    for (const [n, text] of WHOLE.entries()) {
      await store(text)
      await page.reload()
      await page.getByText(endOf(n)).first().waitFor()
      await assertHarmless(page, asked, `${kind} ${n}`)
    }
    await page.context().close()
  })

test('sends no request of a hostile text in the preview of an article', { skip }, async () => {
  const { page, asked } = await openWatched('/news/create')
  const field = page.getByRole('textbox', { name: 'Text' })
  const preview = page.getByRole('region', { name: 'Preview' })
  for (const [n, text] of HOSTILE_TEXTS.entries()) {
    await field.fill(`${text}\n\n${endOf(n)}`)
    await preview.getByText(endOf(n), { exact: false }).waitFor()
    await assertHarmless(page, asked, text)
  }
  await page.context().close()
})

test('shows formatted texts with uploads, and links to pictures of other sites', { skip }, async () => {
  const { path, store } = views.question as View
  const picture = await uploadPicture(world!, world!.founder)
  await store(
    [
      `# Title\n\nSome **bold** and [a page](/topics) and [a section](#title).`,
      `@![Own](${picture})\n\n![Outside](https://pictures.example/a.png)`,
      '| a | b |\n| - | -: |\n| 1 | 2 |\n\n3. three\n4. four\n\n> quoted\n\n```\ncode\n```',
    ].join('\n\n'),
  )
  const { page, asked } = await openWatched(path)
  const text = page.getByRole('region', { name: 'Text', exact: true })
  await text.getByRole('img', { name: 'Own' }).waitFor()
  const outside = text.getByRole('link', { name: '[Picture: Outside]' })
  assert.equal(await outside.getAttribute('href'), 'https://pictures.example/a.png')
  for (const link of [outside, text.getByRole('link', { name: 'a page' })]) {
    assert.equal(await link.getAttribute('target'), '_blank')
    assert.equal(await link.getAttribute('rel'), 'noreferrer noopener')
  }
  await text.getByRole('heading', { name: 'Title', level: 2 }).waitFor()
  await text.getByRole('columnheader', { name: 'b' }).waitFor()
  assert.equal(await text.locator('ol').getAttribute('start'), '3')
  await text.getByRole('link', { name: 'a section' }).click()
  assert.doesNotMatch(page.url(), /#/)
  await assertHarmless(page, asked, 'formatted')
  await page.context().close()
})

test('reports no script error and no violated policy', { skip }, () => {
  assert.deepEqual(world!.faults, [])
})

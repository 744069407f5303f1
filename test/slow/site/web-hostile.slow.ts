import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CANNOT_LOOK } from '#test/chromium.ts'
import { chatsOf } from '#test/fixtures/chats.ts'
import { groupMaker } from '#test/fixtures/groups.ts'
import { HOSTILE_TEXTS } from '#test/fixtures/hostile-texts.ts'
import { createCategory, createNews, newsEditor } from '#test/fixtures/news.ts'
import { questionsOf } from '#test/fixtures/questions.ts'
import { openSite } from '#test/web-browser.ts'
import type { Person } from '#test/world.ts'

const skip = CANNOT_LOOK
const site = skip ? undefined : await openSite()

/** Parts of at most `most` characters, because texts have limits. */
function partsOf(most: number): string[] {
  const parts = ['']
  for (const text of HOSTILE_TEXTS) {
    const last = parts.length - 1
    if ((parts[last] as string).length + text.length + 2 > most) parts.push(text)
    else parts[last] += `\n\n${text}`
  }
  return parts
}

async function fill() {
  const { as, person } = site!
  const [ada, lin] = [await person({ name: 'ada_lovelace' }), await person({ name: 'lin_xiaoyu' })]
  const all = HOSTILE_TEXTS.join('\n\n')
  const editor = await newsEditor(site!)
  const category = await createCategory(site!, editor)
  const news = await createNews(site!, editor, ada, { category_id: category, title: 'Tides', content: all })
  const questions = questionsOf(site!)
  const question = await questions.ask(ada, { subject: 'Where?', body: all })
  await questions.answer(lin, question, { body: all })
  const { group: make, post } = groupMaker(site!)
  const group = await make(ada, {
    name: HOSTILE_TEXTS.find(({ length }) => length <= 50),
    notice: partsOf(2_000)[0],
    summary: partsOf(255)[0],
  })
  assert.equal((await as(lin, 'PATCH', '/user', { bio: partsOf(255)[0] })).status, 204)
  const groupPost = await post(ada, group, { title: 'Walk', body: all })
  const publish = async (feed_content: string) =>
    (await as(ada, 'POST', '/feeds', { feed_content, feed_from: 1, feed_mark: crypto.randomUUID() })).body.id
  const feed = await publish(partsOf(10_000)[0] as string)
  for (const body of HOSTILE_TEXTS.filter(({ length }) => length <= 255).slice(0, 60))
    await as(lin, 'POST', `/feeds/${feed}/comments`, { body })
  const chats = chatsOf(site!)
  const chat = await chats.pair(ada, lin)
  for (const part of partsOf(1_500)) await chats.say(ada, chat, part)
  const pages: [string, Person?][] = [
    [`/news/${news}`],
    [`/questions/${question}`],
    [`/groups/${group}/posts/${groupPost}`],
    [`/feeds/${feed}`],
    [`/feeds/${feed}`, lin],
    ['/'],
    [`/groups/${group}`],
    ['/groups'],
    [`/users/${lin.id}`],
    ['/questions'],
    [`/chats/${chat}`, lin],
    ['/chats', lin],
  ]
  return pages
}

/** Requests of the page itself. A list loads its next part when the reader scrolls to its end. */
const OWN = [
  /^\/api\/v2\/feeds(?:\/\d+\/comments)?\?[\w=&]+$/,
  /^\/_\/assets\//,
  /^\/manifest\.webmanifest$/,
  /^\/favicon\.ico$/,
  /^\/api\/v2\/files\/\d+\?w=\d+$/,
]
/** Requests for the menu of a member, which shows numbers of unread messages. */
const OWN_OF_MEMBERS = [
  /^\/api\/v2\/(?:chats|user\/notification-statistics|user\/notifications\/stream|user\/push)(?:$|[?/])/,
  /^\/sw\.js$/,
]

test('loads nothing but its own files for hostile texts', { skip, timeout: 600_000 }, async () => {
  assert.ok(HOSTILE_TEXTS.length >= 60)
  const { address, open } = site!
  for (const [path, viewer] of await fill()) {
    const page = await open('/design', viewer ? { person: viewer } : {})
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    await page.goto(address + path)
    await page.locator('html[data-ready]').waitFor()
    for (let n = 0; n < 12; n += 1) {
      await page.mouse.wheel(0, 4_000)
      await page.waitForTimeout(50)
    }
    await page.waitForTimeout(1_000)
    assert.equal(page.url(), address + path)
    assert.equal(await page.evaluate('globalThis.hacked'), undefined, path)
    const own = [...OWN, ...(viewer ? OWN_OF_MEMBERS : [])]
    const others = asked.filter((url) => {
      if (/^(?:data|blob):/.test(url)) return false
      const rest = url.startsWith(`${address}/`) ? url.slice(address.length) : ''
      return rest !== path && !own.some((pattern) => pattern.test(rest))
    })
    assert.deepEqual(others, [], path)
    await page.context().close()
  }
  assert.deepEqual(site!.faults, [])
})

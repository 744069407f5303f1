import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { CANNOT_LOOK } from '#test/chromium.ts'
import { DEMO_PASSWORD, demoWorld } from '#test/fixtures/demo.ts'
import { findings, look, openSite, TELEPHONE, unsafeForms } from '#test/web-browser.ts'

const skip = CANNOT_LOOK
const site = skip ? undefined : await openSite({}, (env) => demoWorld(undefined, env))

/** Width of the narrowest phones, and of a page enlarged four times on a desktop. */
const NARROW = 320

type Access = 'members' | 'guests' | undefined

const ROUTES = globSync('web/src/modules/*/routes.ts')
  .sort()
  .flatMap((file) => {
    const text = readFileSync(file, 'utf8')
    const found = [...text.matchAll(/\{ path: '([^']+)',\s+page: '[\w-]+'(?:, access: '(\w+)')?,? \}/g)]
    assert.equal(found.length, text.match(/\bpage: '/g)?.length, `${file} has routes in an unexpected form`)
    return found.map(([, path = '', access]) => ({ path, access: access as Access }))
  })

async function findExamples() {
  const { guest, as, sql } = site!
  const { body } = await guest('POST', '/auth/login', { login: 'demo', password: DEMO_PASSWORD })
  const signedIn = { id: 0, name: 'demo', token: body.access_token as string }
  const demo = { ...signedIn, id: (await as(signedIn, 'GET', '/user')).body.id as number }
  const first = async (path: string, pick = (answer: never): unknown => answer[0]) =>
    pick((await as(demo, 'GET', path)).body as never) as { id: number; user_id: number; group_id: number }
  const feed = await first(
    '/feeds?limit=100',
    ({ feeds }: { feeds: { images: unknown[]; user_id: number }[] }) =>
      feeds.find(({ images, user_id }) => images.length > 0 && user_id !== demo.id),
  )
  const question = await first('/questions?type=all&limit=50', (all: { answers_count: number }[]) =>
    all.find(({ answers_count }) => answers_count > 0),
  )
  const answers = await first(`/questions/${question.id}/answers`)
  const post = await first('/group-posts?limit=5')
  const chat = await as(demo, 'PUT', `/chats/people/${feed.user_id}`)
  assert.ok(chat.status < 300, JSON.stringify(chat.body))
  await as(demo, 'POST', `/chats/${chat.body.id}/messages`, { body: 'See you at the harbour' })
  await as(demo, 'PUT', `/currency-groups/${post.group_id}`)
  await sql`update group_members set audit = 1, role = 'administrator'
    where group_id = ${post.group_id} and user_id = ${demo.id}`
  const talk = await as(demo, 'POST', '/im/group', { groupname: 'Rowers', desc: '', members: [feed.user_id] })
  assert.ok(talk.status < 300, JSON.stringify(talk.body))
  const examples: Record<string, string | number> = {
    'users/': feed.user_id,
    'feeds/': feed.id,
    'groups/': post.group_id,
    'posts/': post.id,
    'group-posts/': post.id,
    'chats/': chat.body.id,
    'members/': talk.body.im_group_id,
    'music_specials/': (await first('/music/specials')).id,
    'musics/': (await first('/music/songs')).id,
    'notifications/': 'system',
    'news/': (await first('/news')).id,
    'questions/': question.id,
    'question-answers/': answers.id,
    'question-topics/': (await first('/question-topics')).id,
    'ranks/': 'likes',
    'saved/': 'news',
    'sign-in/': 'company',
    'pins/': 'news',
    'feed-topics/': (await first('/feed/topics')).id,
  }
  return { demo, examples }
}
const found = site ? await findExamples() : undefined

test('gives every page module a unique file name', () => {
  const names = globSync('web/src/modules/**/*-page.tsx').map((file) => file.split('/').at(-1))
  assert.deepEqual(
    names.filter((name, n) => names.indexOf(name) !== n),
    [],
  )
})

const addressesFor = (viewer: 'members' | 'guests') => [
  ...ROUTES.filter(({ access }) => access === undefined || access === viewer).map(({ path }) =>
    path.replace(/([\w-]+\/):\w+/g, (_, before: string) => {
      const example = found!.examples[before]
      assert.ok(example !== undefined, `${path} needs an example of ${before}`)
      return before + example
    }),
  ),
  '/search?q=a',
  '/search?q=nothingofthekind',
  '/nowhere',
]

type Parts = { title: string; h1: number; wide: number; broken: string[] }
const PARTS = `({
  title: document.title,
  h1: document.querySelectorAll('h1').length,
  wide: document.documentElement.scrollWidth,
  broken: [...document.images].filter((each) => each.complete && !each.naturalWidth).map(({ src }) => src),
})`

for (const [viewer, language, width] of [
  ['guests', 'en', NARROW],
  ['guests', 'zh', 1280],
  ['members', 'en', 1280],
  ['members', 'zh', NARROW],
] as const)
  test(`renders every page accessibly to ${viewer} in ${language}, ${width} px wide`, {
    skip,
  }, async () => {
    const page = await site!.open('/', {
      ...(viewer === 'members' ? { person: found!.demo } : {}),
      locale: language === 'zh' ? 'zh-CN' : 'en',
      viewport: { width, height: 800 },
      // Disables transitions, because axe cannot check the contrast of changing colours.
      reducedMotion: 'reduce',
    })
    const wrong: string[] = []
    const titles = new Map<string, string>()
    for (const path of addressesFor(viewer)) {
      const answer = await page.goto(site!.address + path)
      await page.locator('html[data-ready]').waitFor()
      const status = path === '/nowhere' ? 404 : 200
      if (answer?.status() !== status) wrong.push(`${path}: ${answer?.status()}`)
      wrong.push(...unsafeForms(path, (await answer?.text()) ?? '').unsafe)
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        await look(page, `${viewer}-${language}-${colorScheme}${path.replaceAll(/[/?=&]/g, '-')}`)
        wrong.push(...(await findings(page)).map((each) => `${path}, ${colorScheme}: ${each}`))
      }
      await page.setViewportSize({ width: NARROW, height: 800 })
      const { title, h1, wide, broken } = await page.evaluate<Parts>(PARTS)
      await page.setViewportSize({ width, height: 800 })
      if (h1 !== 1) wrong.push(`${path}: ${h1} h1`)
      if (!title || (title === 'Kith' && path !== '/')) wrong.push(`${path}: title ${title}`)
      if (broken.length > 0) wrong.push(`${path}: pictures that did not load: ${broken}`)
      if (wide > NARROW) wrong.push(`${path}: ${wide} wide at ${NARROW}`)
      titles.set(path, title)
    }
    assert.deepEqual(wrong, [])
    assert.ok(titles.size > 15, `${titles.size} pages`)
    await page.context().close()
    assert.deepEqual(site!.faults, [])
  })

const SHIFT = `new Promise((resolve) => {
  let sum = 0
  new PerformanceObserver((list) => { for (const each of list.getEntries()) sum += each.value })
    .observe({ type: 'layout-shift', buffered: true })
  setTimeout(() => resolve(sum), 300)
})`

test('keeps the layout stable while pictures load', { skip }, async () => {
  for (const path of ['/', `/feeds/${found!.examples['feeds/']}`]) {
    const page = await site!.open(path, TELEPHONE)
    await page.waitForLoadState('networkidle')
    const shift = await page.evaluate(SHIFT)
    assert.ok(Number(shift) <= 0.02, `${path}: ${shift}`)
    await page.context().close()
  }
})

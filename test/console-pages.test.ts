import assert from 'node:assert/strict'
import { globSync, readFileSync, statSync } from 'node:fs'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { builtFolder, readBuilt } from '#platform/http'
import { CANNOT_LOOK } from '#test/chromium.ts'
import { findings, ofConsole, openConsole, openJobs, settled, walkPages } from '#test/console-browser.ts'
import { fillConsole } from '#test/console-contents.ts'

const skip = CANNOT_LOOK
const world = skip ? undefined : await openConsole()
if (world) await fillConsole(world)

for (const locale of ['en', 'zh'] as const)
  test(`opens the first half of the pages without errors and accessibly, in light and dark, in ${locale}`, {
    skip,
  }, async () => {
    assert.deepEqual(await walkPages(world!, 'first half', locale), [])
    assert.deepEqual(world!.faults, [])
  })

test('has an accessible sign-in page', { skip }, async () => {
  const page = await world!.open('/', { person: null })
  await page.getByRole('button', { name: 'Sign in' }).waitFor()
  assert.deepEqual(await findings(page), [])
  await page.context().close()
})

test('shows every page in Chinese and declares the language', { skip }, async () => {
  const page = await world!.open('/', { locale: 'zh' })
  await settled(page)
  assert.equal(await page.locator('html').getAttribute('lang'), 'zh-CN')
  await page.getByRole('heading', { name: '首页' }).waitFor()
  await openJobs(page)
  await page.getByRole('menuitem', { name: '全部用户', exact: true }).click()
  await page.getByRole('columnheader', { name: '注册时间' }).waitFor()
  for (const entry of await page.locator('nav [role=menuitem]').allInnerTexts())
    assert.match(entry, /\p{Script=Han}|Webhook/u, entry)
  await page.getByRole('cell', { name: '创始人' }).first().waitFor()
  await page.goto(`${world!.address}/admin/roles`)
  await page.getByRole('cell', { name: '普通用户', exact: true }).waitFor()
  await page.context().close()
})

test("fits every page into a phone's width", { skip }, async () => {
  const page = await world!.open('/', {
    viewport: { width: 390, height: 844 },
    isMobile: true,
    hasTouch: true,
  })
  for (const path of [
    '/',
    '/queues/reports',
    '/people',
    '/settings',
    '/songs/create',
    `/people/${world!.founder.id}/show`,
    '/audit-log',
    '/ledger',
  ]) {
    await page.goto(`${world!.address}/admin${path}`)
    await settled(page)
    const width = await page.evaluate('document.documentElement.scrollWidth')
    assert.ok(Number(width) <= 391, `${path} is ${width} wide`)
  }
  await page.context().close()
})

test('keeps the scripts of the first page below 400 KB compressed, and hashed files cacheable forever', {
  skip,
}, async () => {
  const index = readFileSync(`${builtFolder('console')}/index.html`, 'utf8')
  const scripts = [...index.matchAll(/(?:src|href)="\/admin\/(assets\/[^"]+\.js)"/g)].map(
    ([, path]) => path as string,
  )
  assert.ok(scripts.length > 0)
  // Files below a kilobyte are sent as they are.
  const sizeOf = (path: string) => (statSync(`${path}.gz`, { throwIfNoEntry: false }) ?? statSync(path)).size
  const sizes = scripts.map((path) => sizeOf(`${builtFolder('console')}/${path}`))
  const size = sizes.reduce((sum, each) => sum + each, 0)
  assert.ok(size < 400 * 1024, `${size} bytes`)
  const largest = scripts[sizes.indexOf(Math.max(...sizes))]
  const answer = await fetch(`${world!.address}/admin/${largest}`, {
    headers: { 'accept-encoding': 'br' },
  })
  assert.equal(answer.headers.get('cache-control'), 'public, max-age=31536000, immutable')
  assert.equal(answer.headers.get('content-encoding'), 'br')
  assert.equal(answer.headers.get('content-type'), 'text/javascript; charset=utf-8')
  assert.ok((readBuilt('console')?.files.length ?? 0) > 10)
})

test('has a name and description in both languages for every setting', async () => {
  const { SETTINGS } = await import('../src/modules/settings/registry.ts')
  const texts = ['texts.ts', 'money-texts.ts']
    .map((name) => readFileSync(new URL(`../console/src/pages/settings/${name}`, import.meta.url), 'utf8'))
    .join('')
  const missing = Object.keys(SETTINGS).filter(
    (name) => !texts.includes(`'${name}': {`) && !texts.includes(`${name}: {`),
  )
  assert.deepEqual(missing, [])
})

test('has a Chinese name for every built-in ability', async () => {
  const { ABILITIES } = await import('../src/modules/abilities/seeds.ts')
  const texts = readFileSync(new URL('../console/src/areas/ability-texts.ts', import.meta.url), 'utf8')
  assert.deepEqual(
    Object.keys(ABILITIES).filter((name) => !texts.includes(`  '${name}': '`)),
    [],
  )
})

test('has a name in both languages for every built-in role', async () => {
  const { ROLES } = await import('../src/modules/abilities/seeds.ts')
  const { roleText } = (await import('../console/src/areas/role-texts.ts')) as {
    roleText(name: string, shown?: string): readonly [string, string]
  }
  for (const { name, display } of ROLES) {
    const [english, chinese] = roleText(name, display)
    assert.equal(english, display)
    assert.match(chinese, /^\p{Script=Han}+$/u, name)
    assert.deepEqual(roleText(name, 'Renamed'), ['Renamed', 'Renamed'])
  }
})

test('has every console text in English and Chinese', async () => {
  const files = globSync('console/src/**/*.{ts,tsx}')
  const pair =
    /(?:\b(?:label|noun|ask|done|help|emptyNote|text|note): |t\(|Text = )\[\s*(['"`])((?:(?!\1)[\s\S])*)\1,\s*(['"`])((?:(?!\3)[\s\S])*)\3,?\s*\]/g
  const pairs = files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(pair)].map(([, , en, , zh]) => ({ file, en, zh })),
  )
  assert.ok(pairs.length > 500, `saw only ${pairs.length}`)
  const wrong = pairs.filter(
    ({ en = '', zh = '' }) => /\p{Script=Han}/u.test(en) || (!/\p{Script=Han}/u.test(zh) && zh !== 'Webhook'),
  )
  // A bare number needs no translation.
  assert.deepEqual(
    wrong.filter(({ en }) => /[a-z]{2}/i.test(en?.replaceAll(/\$\{[^}]*\}/g, '') ?? '')),
    [],
  )
})

test('translates every text of the framework to Chinese', { skip }, async () => {
  const keysOf = (texts: object, path = ''): string[] =>
    Object.entries(texts).flatMap(([key, value]) =>
      typeof value === 'string' ? [`${path}${key}`] : keysOf(value as object, `${path}${key}.`),
    )
  const { CHINESE } = (await import('../console/src/shell/chinese.ts')) as { CHINESE: object }
  const installed = pathToFileURL(ofConsole('ra-language-english/dist/index.js')).href
  const { default: english } = (await import(installed)) as { default: object }
  const chinese = new Set(keysOf(CHINESE))
  // The console neither guesses nor rearranges pages.
  const unused = /^ra\.(guesser|configurable)\./
  assert.deepEqual(
    keysOf(english).filter((key) => !chinese.has(key) && !unused.test(key)),
    [],
  )
})

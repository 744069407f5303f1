import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { builtFolder } from '#platform/http'
import { CANNOT_LOOK } from '#test/chromium.ts'
import { findings, ofConsole, openConsole, openJobs, settled } from '#test/console-browser.ts'

const skip = CANNOT_LOOK
const world = skip ? undefined : await openConsole()

test('passes the accessibility check on the sign-in page', { skip }, async () => {
  const page = await world!.open('/', { person: null })
  await page.getByRole('button', { name: 'Sign in' }).waitFor()
  assert.deepEqual(await findings(page), [])
  await page.context().close()
})

test('renders the menu, the users and the roles in Chinese when the locale is zh', { skip }, async () => {
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

test('loads less than 400 KB of compressed scripts on the first page', {
  skip,
}, async () => {
  const index = readFileSync(`${builtFolder('console')}/index.html`, 'utf8')
  const scripts = [...index.matchAll(/(?:src|href)="\/admin\/(assets\/[^"]+\.js)"/g)].map(
    ([, path]) => path as string,
  )
  assert.ok(scripts.length > 0)
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
  assert.match(answer.headers.get('content-type') ?? '', /^(text|application)\/javascript; charset=utf-8$/)
  assert.match(answer.headers.get('vary') ?? '', /Accept-Encoding/i)
  assert.ok(readdirSync(`${builtFolder('console')}/assets`).length > 10)
})

test('contains no program that sanitizes HTML, because the console sets none', { skip }, () => {
  const purifier = /ALLOWED_URI_REGEXP|FORBID_ATTR/
  assert.match(readFileSync(ofConsole('dompurify/dist/purify.min.js'), 'utf8'), purifier)
  const assets = `${builtFolder('console')}/assets`
  const scripts = readdirSync(assets).filter((name) => name.endsWith('.js'))
  assert.ok(scripts.length > 10)
  for (const name of scripts) assert.doesNotMatch(readFileSync(`${assets}/${name}`, 'utf8'), purifier, name)
})

test('translates every text of react-admin to Chinese', { skip }, async () => {
  const keysOf = (texts: object, path = ''): string[] =>
    Object.entries(texts).flatMap(([key, value]) =>
      typeof value === 'string' ? [`${path}${key}`] : keysOf(value as object, `${path}${key}.`),
    )
  const { CHINESE } = (await import('../console/src/shell/chinese.ts')) as { CHINESE: object }
  const installed = pathToFileURL(ofConsole('ra-language-english/dist/index.js')).href
  const { default: english } = (await import(installed)) as { default: object }
  const chinese = new Set(keysOf(CHINESE))
  const unused = /^ra\.(guesser|configurable)\./
  assert.deepEqual(
    keysOf(english).filter((key) => !chinese.has(key) && !unused.test(key)),
    [],
  )
})

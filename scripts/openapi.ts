/** Writes openapi.json from the routes' schemas, or with --check fails when the committed copy differs. */
import { readFile, writeFile } from 'node:fs/promises'
import { buildApp } from '#app'
import { readConfig } from '#platform/config.ts'
import type { Context } from '#platform/context.ts'
import { createMetrics } from '#platform/metrics.ts'

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

// Routes are only described, never called: nothing outside has to be there.
const ctx = {
  config: readConfig({}),
  log,
  sql: nothing,
  metrics: createMetrics(),
  limiter: { hit: nothing },
  signals: { on: nothing, onReconnect: nothing },
  onClose: [],
} as unknown as Context

const app = await buildApp(ctx)
await app.ready()
const text = `${JSON.stringify(app.swagger(), null, 2)}\n`
await app.close()
if (process.argv.includes('--check')) {
  if ((await readFile(FILE, 'utf8').catch(() => '')) !== text) {
    console.error('openapi.json is not what the routes say: run `npm run openapi` and commit it.')
    process.exit(1)
  }
} else await writeFile(FILE, text)

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { recordBackup } from '#backup/jobs.ts'
import { openDatabase } from '#platform/database'
import { addJob } from '#platform/jobs'
import { createMetrics, watchLoop } from '#platform/observability'
import { findFreePort } from '#test/servers.ts'
import { createWorld } from '#test/world.ts'
import { exportSiteMetrics } from '../src/site-metrics.ts'

const { ctx, guest, person, sql } = await createWorld({ BACKUP_TO: '/backups' })
const pathOf = (name: string) => fileURLToPath(new URL(`../deploy/${name}`, import.meta.url))
await person()
await addJob(sql, 'send_webhook', {}, { maxAttempts: 1 })
await addJob(sql, 'send_code', {}, { delaySeconds: 3600 })
await sql`update graphile_worker._private_jobs set attempts = 1 where max_attempts = 1`
await recordBackup(sql, { place: '/backups/a', bytes: 1234, seconds: 5 })
ctx.metrics.defaultProcessMetrics()
watchLoop(ctx.metrics, ctx.log)
ctx.metrics.gaugePool(() => ({ max: 1, busy: 0, idle: 1, waiting: 0, pressure: 0 }))
exportSiteMetrics(ctx)
await guest('GET', '/bootstrappers')
const text = await ctx.metrics.render()

const exported = new Set(
  [...text.matchAll(/^([a-z_]+)(?:\{.*?\})? [^\n]+$/gm), ...text.matchAll(/^# TYPE (\S+)/gm)].map(
    (match) => match[1],
  ),
)
const sampleOf = (sample: string) => {
  const line = text.split('\n').find((each) => each.startsWith(`${sample} `))
  return line === undefined ? undefined : Number(line.slice(sample.length + 1))
}

function metricsOf(expression: string): string[] {
  const bare = expression
    .replaceAll(/\{[^}]*\}/g, ' ')
    .replaceAll(/\[[^\]]*\]/g, ' ')
    .replaceAll(/\b(by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)/g, ' ')
  return [...bare.matchAll(/[a-z_:][a-z0-9_:]*(?!\w|\s*\()/g)]
    .map(([word]) => word)
    .filter((word) => !['and', 'or', 'unless', 'bool', 'up'].includes(word))
}

const labelsOf = (expression: string, label: string) =>
  [...expression.matchAll(new RegExp(`${label}=~?"([^"]+)"`, 'g'))].flatMap((match) =>
    (match[1] ?? '').split('|'),
  )

const rules = readFileSync(pathOf('prometheus/kith.rules.yml'), 'utf8')
const dashboard = JSON.parse(readFileSync(pathOf('grafana/kith.json'), 'utf8')) as {
  panels: { title: string; targets: { expr: string }[] }[]
}
const EXPRESSIONS = [
  ...[...rules.matchAll(/^ +expr: (.+)$/gm)].map((match) => match[1] as string),
  ...dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
]

test('exports every metric that the alerts and the dashboard use', () => {
  assert.ok(EXPRESSIONS.length > 30, `saw only ${EXPRESSIONS.length}`)
  for (const expression of EXPRESSIONS) {
    const names = metricsOf(expression)
    assert.ok(names.length > 0 || expression.includes('up{'), expression)
    for (const name of names) assert.ok(exported.has(name), `nothing tells ${name}: ${expression}`)
  }
})

test('alerts when writes fail, jobs stop, backups are late, clocks differ or a process hangs', () => {
  const asked = new Set(
    [...rules.matchAll(/^ +expr: (.+)$/gm)].flatMap(([, text]) => metricsOf(String(text))),
  )
  for (const name of [
    'database_writable',
    'kith_schedules_last_run_seconds',
    'kith_jobs_oldest_seconds',
    'kith_backup_promised_seconds',
    'kith_clock_skew_seconds',
    'event_loop_blocked_total',
  ])
    assert.ok(asked.has(name), `no alert about ${name}`)
})

test('uses every metric of the site in an alert or the dashboard', () => {
  const asked = new Set(EXPRESSIONS.flatMap(metricsOf))
  for (const [, name] of text.matchAll(/^# TYPE (kith_\S+)/gm))
    assert.ok(asked.has(name as string), `nobody looks at ${name}`)
})

test('names only existing tasks and series in alerts and the dashboard', async () => {
  const { allTasks } = await import('../src/worker.ts')
  const tasks = Object.keys(allTasks(ctx))
  const series = [...text.matchAll(/^kith_today\{series="([^"]+)"\}/gm)].map((match) => match[1])
  for (const expression of EXPRESSIONS) {
    for (const task of labelsOf(expression, 'task')) assert.ok(tasks.includes(task), `no task ${task}`)
    for (const name of labelsOf(expression, 'series'))
      assert.ok(
        series.some((each) => new RegExp(`^(?:${name})$`).test(each ?? '')),
        `no series ${name}`,
      )
  }
})

test('exports current numbers of jobs, decisions and sign-ups', async () => {
  assert.equal(sampleOf('kith_database_up'), 1)
  assert.equal(sampleOf('kith_jobs{task="send_webhook",state="failed"}'), 1)
  assert.equal(sampleOf('kith_jobs{task="send_code",state="later"}'), 1)
  assert.equal(
    sampleOf('kith_today{series="sign-ups"}'),
    Number((await sql`select count(*) as count from users`)[0]?.count),
  )
  assert.equal(sampleOf('kith_decisions_waiting{queue="reports"}'), 0)
  assert.equal(sampleOf('kith_backup_size_bytes'), 1234)
  assert.equal(sampleOf('kith_backup_promised_seconds'), 27 * 3600)
  assert.equal(sampleOf('kith_health{part="database"}'), 0)
  assert.equal(sampleOf('kith_health{part="backups"}'), 0)
  assert.ok(Math.abs((sampleOf('kith_backup_last_success_timestamp_seconds') ?? 0) - Date.now() / 1000) < 600)
  assert.equal(sampleOf('kith_im_waiting{kind="groups"}'), 0)
})

test('reports the database as failing to the alerts while it does not respond', async (t) => {
  const port = await findFreePort()
  const lost = openDatabase({
    connection: `postgres://kith@127.0.0.1:${port}/kith`,
    poolSize: 1,
    statementTimeoutMs: 1000,
    patienceMs: 100,
  })
  t.after(() => lost.end({ timeout: 0 }))
  const down = { ...ctx, sql: lost, metrics: createMetrics(), state: new Map() }
  exportSiteMetrics(down)
  const told = await down.metrics.render()
  assert.match(told, /^kith_database_up 0$/m)
  assert.match(told, /^kith_health\{part="database"\} 2$/m)
})

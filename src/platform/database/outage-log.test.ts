import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Log } from '#platform/observability'
import { connectionError } from './connection.ts'
import { createOutageLog, logFailure } from './outage-log.ts'

function recordLines() {
  const lines: [string, unknown][] = []
  const at = (level: string) => (fields: unknown, message?: string) =>
    void lines.push([level, message ?? fields])
  const log = Object.fromEntries(['debug', 'info', 'warn', 'error'].map((level) => [level, at(level)]))
  return { log: log as unknown as Log, lines }
}

test('logs one line for the start and one for the end of an outage', () => {
  const { log, lines } = recordLines()
  const { onOutage, onReach } = createOutageLog(log)
  onReach()
  for (let times = 0; times < 3; times += 1) onOutage(connectionError('the connection broke'))
  for (let times = 0; times < 3; times += 1) onReach()
  onOutage(connectionError('the connection broke'))
  assert.deepEqual(
    lines.map(([level]) => level),
    ['error', 'info', 'error'],
  )
})

test('logs failures of repeated work as details while the database is away, else as warnings', () => {
  const { log, lines } = recordLines()
  logFailure(log, connectionError('the connection broke'), 'reading failed')
  logFailure(log, new Error('bug'), 'reading failed')
  assert.deepEqual(lines, [
    ['debug', 'reading failed'],
    ['warn', 'reading failed'],
  ])
})

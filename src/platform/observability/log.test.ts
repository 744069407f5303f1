import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { createLog, describeError, redactAddress } from './log.ts'

function capture(level = 'info') {
  const lines: Record<string, unknown>[] = []
  const log = createLog({ level, destination: { write: (line) => void lines.push(JSON.parse(line)) } })
  return { log, lines }
}

function databaseError(fields: Record<string, unknown>) {
  const { message = 'failed', ...others } = fields
  return Object.assign(new pg.DatabaseError(String(message), 0, 'error'), { severity: 'ERROR', ...others })
}

test('writes a line as JSON with time, level name and fields', () => {
  const { log, lines } = capture()
  log.debug('not written')
  log.info({ port: 8080 }, 'listening')
  assert.equal(lines.length, 1)
  const [line] = lines
  assert.deepEqual({ ...line, time: '' }, { level: 'info', time: '', port: 8080, msg: 'listening' })
  assert.match(String(line?.time), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
})

test('logs the table and constraint of a database error without its values', () => {
  const { log, lines } = capture()
  const err = databaseError({
    message: 'duplicate key value violates unique constraint "users_email_taken"',
    code: '23505',
    detail: 'Key (email)=(SECRET) already exists.',
    where: 'COPY users, line 1: SECRET',
    hint: 'SECRET',
    table: 'users',
    constraint: 'users_email_taken',
    routine: '_bt_check_unique',
    query: 'insert SECRET',
    parameters: ['SECRET'],
    args: ['SECRET'],
  })
  log.error({ err }, 'request failed')
  const text = JSON.stringify(lines)
  assert.doesNotMatch(text, /SECRET/)
  const written = lines[0]?.err as Record<string, unknown>
  assert.equal(written.type, 'DatabaseError')
  assert.equal(written.code, '23505')
  assert.equal(written.constraint, 'users_email_taken')
  assert.equal(written.table, 'users')
  assert.equal(written.routine, '_bt_check_unique')
  assert.match(String(written.message), /duplicate key/)
  assert.match(String(written.stack), /^error: duplicate key.*\n {4}at /)
})

test('masks quoted values in a database message and its stack', () => {
  const error = databaseError({ code: '22P02', message: 'invalid input syntax for type bigint: "SEC"RET\n"' })
  const described = JSON.stringify(describeError(error))
  assert.doesNotMatch(described, /SEC|RET/)
  assert.match(described, /invalid input syntax for type bigint/)
})

test('redacts personal data in `cause` and in an AggregateError', () => {
  const inner = databaseError({ code: '23514', detail: 'SECRET' })
  const outer = new Error('outer', { cause: new AggregateError([inner, 'to jo@mail.example'], 'many') })
  const text = JSON.stringify(describeError(outer))
  assert.match(text, /23514/)
  assert.doesNotMatch(text, /SECRET|jo@/)
  const loop = new Error('loop')
  loop.cause = loop
  assert.match(JSON.stringify(describeError(loop)), /loop/)
})

test('logs a request without headers, secrets and personal data', () => {
  const { log, lines } = capture()
  const headers = { authorization: 'Bearer SECRET' }
  log.info({ req: { id: 'r1', method: 'GET', url: '/users/13812345678?token=SECRET&limit=1', headers } })
  assert.deepEqual(lines[0]?.req, { id: 'r1', method: 'GET', url: '/users/[phone]?token=[redacted]&limit=1' })
  assert.equal(redactAddress('/users/a%40b.test?email=x'), '/users/[email]?email=[redacted]')
})

test('logs no headers of a form', () => {
  const { log, lines } = capture('trace')
  log.trace({ busboyOptions: { headers: { authorization: 'Bearer SECRET' } } }, 'reading a form')
  assert.deepEqual({ ...lines[0], time: '' }, { level: 'trace', time: '', msg: 'reading a form' })
})

test('logs unusual values of `req` and `err`', () => {
  const { log, lines } = capture()
  const bare = new Error('bare')
  delete bare.stack
  log.info({ req: 'no request', err: bare }, 'odd')
  assert.equal(lines[0]?.req, 'no request')
  assert.deepEqual(lines[0]?.err, { type: 'Error', message: 'bare' })
})

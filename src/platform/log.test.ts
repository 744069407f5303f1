import assert from 'node:assert/strict'
import { test } from 'node:test'
import postgres from 'postgres'
import { createLog, describeError, redactRequestUrl } from '#platform/log.ts'

function capture(level = 'info') {
  const lines: Record<string, unknown>[] = []
  const log = createLog({ level, destination: { write: (line) => void lines.push(JSON.parse(line)) } })
  return { log, lines }
}

function databaseError(fields: Record<string, unknown>) {
  const PostgresError = postgres.PostgresError as unknown as new (fields: object) => Error
  return new PostgresError({ severity: 'ERROR', message: 'failed', ...fields })
}

test('a line is JSON with a time, a named level and the fields given', () => {
  const { log, lines } = capture()
  log.debug('not written')
  log.info({ port: 8080 }, 'listening')
  assert.equal(lines.length, 1)
  const [line] = lines
  assert.deepEqual({ ...line, time: '' }, { level: 'info', time: '', port: 8080, msg: 'listening' })
  assert.match(String(line?.time), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
})

test('a database error keeps what locates it and loses every value', () => {
  const { log, lines } = capture()
  const err = databaseError({
    message: 'duplicate key value violates unique constraint "users_email_taken"',
    code: '23505',
    detail: 'Key (email)=(SECRET) already exists.',
    where: 'COPY users, line 1: SECRET',
    hint: 'SECRET',
    table_name: 'users',
    constraint_name: 'users_email_taken',
    routine: '_bt_check_unique',
    query: 'insert SECRET',
    parameters: ['SECRET'],
    args: ['SECRET'],
  })
  log.error({ err }, 'request failed')
  const text = JSON.stringify(lines)
  assert.doesNotMatch(text, /SECRET/)
  const written = lines[0]?.err as Record<string, unknown>
  assert.equal(written.type, 'PostgresError')
  assert.equal(written.code, '23505')
  assert.equal(written.constraint_name, 'users_email_taken')
  assert.equal(written.table_name, 'users')
  assert.equal(written.routine, '_bt_check_unique')
  assert.match(String(written.message), /duplicate key/)
  assert.match(String(written.stack), /^PostgresError: duplicate key.*\n {4}at /)
})

test('a value quoted by the database in its message is cut out, of the stack too', () => {
  const error = databaseError({ code: '22P02', message: 'invalid input syntax for type bigint: "SEC"RET\n"' })
  const described = JSON.stringify(describeError(error))
  assert.doesNotMatch(described, /SEC|RET/)
  assert.match(described, /invalid input syntax for type bigint/)
})

test('causes and collected errors are described by the same rule, and endless chains end', () => {
  const inner = databaseError({ code: '23514', detail: 'SECRET' })
  const outer = new Error('outer', { cause: new AggregateError([inner, 'to jo@mail.example'], 'many') })
  const text = JSON.stringify(describeError(outer))
  assert.match(text, /23514/)
  assert.doesNotMatch(text, /SECRET|jo@/)
  const loop = new Error('loop')
  loop.cause = loop
  assert.match(JSON.stringify(describeError(loop)), /loop/)
})

test('the request of a log line has neither secrets nor headers', () => {
  const { log, lines } = capture()
  const headers = { authorization: 'Bearer SECRET' }
  log.info({ req: { id: 'r1', method: 'GET', url: '/users/13812345678?token=SECRET&limit=1', headers } })
  assert.deepEqual(lines[0]?.req, { id: 'r1', method: 'GET', url: '/users/[phone]?token=[redacted]&limit=1' })
  assert.equal(redactRequestUrl('/users/a%40b.test?email=x'), '/users/[email]?email=[redacted]')
})

test('what is no request, or an error without a trace, is told as it is', () => {
  const { log, lines } = capture()
  const bare = new Error('bare')
  delete bare.stack
  log.info({ req: 'no request', err: bare }, 'odd')
  assert.equal(lines[0]?.req, 'no request')
  assert.deepEqual(lines[0]?.err, { type: 'Error', message: 'bare' })
})

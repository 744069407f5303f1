import assert from 'node:assert/strict'
import { mkdir } from 'node:fs/promises'
import { connect } from 'node:net'
import { test } from 'node:test'
import { StartFault, startFault } from './start-fault.ts'

test('explains why the data directory cannot be created', async () => {
  const folder = '/nowhere/at/all'
  const ofFolder = await mkdir(folder).catch((error) => error)
  const told = startFault(ofFolder, folder)
  assert.ok(told instanceof StartFault)
  assert.match(told.message, /\/nowhere\/at\/all: no folder can be created there/)
  const ofSocket = await new Promise((resolve) => connect(`${folder}/.s.PGSQL.5432`).once('error', resolve))
  assert.equal((ofSocket as NodeJS.ErrnoException).code, 'ENOENT')
  assert.equal(startFault(ofSocket, folder), ofSocket)
})

test('returns an unrecognized error unchanged', () => {
  for (const thrown of [null, undefined, 'a word', new Error('something else')])
    assert.equal(startFault(thrown, '/data'), thrown)
  assert.ok(startFault(new Error('No space left on device'), '/data') instanceof StartFault)
})

test('explains a database connection that breaks during the start', () => {
  const broken = Object.assign(new Error('write CONNECTION_DESTROYED two.example:5432'), {
    code: 'CONNECTION_DESTROYED',
  })
  const told = startFault(broken, '/data')
  assert.ok(told instanceof StartFault)
  assert.match(told.message, /connection to the database broke/)
})

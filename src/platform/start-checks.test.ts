import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listenFault } from './start-checks.ts'
import { StartFault, startFault } from './start-fault.ts'

test('what is no mistake of an operator is told as it is', () => {
  const target = { host: '127.0.0.1', port: 80, metricsPort: 0 }
  const refused = Object.assign(new Error('refused'), { code: 'EACCES', syscall: 'open' })
  assert.equal(listenFault(refused, target), refused)
  assert.ok(listenFault({ code: 'EACCES', syscall: 'listen', port: 80 }, target) instanceof StartFault)
  assert.equal(startFault(null, '/data'), null)
  assert.ok(startFault(new Error('No space left on device'), '/data') instanceof StartFault)
})

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { findRuntimeFault, requireRuntime } from './runtime.ts'

test('explains how to replace an unsupported version of Node.js', () => {
  requireRuntime()
  assert.equal(findRuntimeFault('24.0.0'), null)
  assert.equal(findRuntimeFault('100.1.0'), null)
  for (const version of ['20.20.2', '22.18.0', '23.6.0']) {
    assert.match(findRuntimeFault(version) ?? '', /npm ci --include=optional/)
  }
})

test('exits with an explanation on an unsupported version of Node.js', () => {
  const program = `
    Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '22.18.0' } })
    const { requireRuntime } = await import(${JSON.stringify(import.meta.resolve('./runtime.ts'))})
    requireRuntime()
    console.log('went on')
  `
  const result = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' })
  assert.equal(result.status, 1)
  assert.equal(result.stdout, '')
  assert.match(result.stderr, /this is Node.js 22.18.0/)
})

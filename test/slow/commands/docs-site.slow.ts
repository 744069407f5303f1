import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'

test('builds the documentation site without dead links', async () => {
  const failure = await new Promise<string>((resolve) =>
    execFile('npm', ['run', '--silent', 'dev', '--', 'site'], (error, stdout, stderr) =>
      resolve(error ? stdout + stderr : ''),
    ),
  )
  assert.equal(failure, '')
})

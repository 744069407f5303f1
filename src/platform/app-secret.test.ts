import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { loadAppSecret } from '#platform/app-secret.ts'

const root = mkdtempSync(join(tmpdir(), 'kith-secret-'))
after(() => rmSync(root, { recursive: true, force: true }))

test('creates a secret file that only its owner can read', () => {
  const dir = join(root, 'new', 'data')
  const secret = loadAppSecret(dir)
  assert.ok(secret.length >= 43)
  assert.equal(loadAppSecret(dir), secret)
  assert.equal(loadAppSecret(dir, { mayCreate: false }), secret)
  assert.deepEqual(readdirSync(dir), ['app-secret'])
  assert.equal(readFileSync(join(dir, 'app-secret'), 'utf8'), `${secret}\n`)
  if (process.platform !== 'win32') {
    assert.equal(statSync(join(dir, 'app-secret')).mode & 0o777, 0o600)
  }
})

test('creates one secret when several processes start together', async () => {
  const dir = join(root, 'race')
  const script = `import { loadAppSecret } from '#platform/app-secret.ts'
    process.stdout.write(loadAppSecret(${JSON.stringify(dir)}))`
  const secrets = await Promise.all(
    Array.from({ length: 4 }, async () => {
      const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', script], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      let output = ''
      child.stdout.on('data', (chunk) => {
        output += chunk
      })
      const [code] = await once(child, 'close')
      assert.equal(code, 0)
      return output
    }),
  )
  assert.equal(new Set(secrets).size, 1)
  assert.equal(secrets[0], loadAppSecret(dir))
  assert.deepEqual(readdirSync(dir), ['app-secret'])
})

test('does not replace a damaged secret file', () => {
  const dir = mkdtempSync(join(root, 'damaged-'))
  writeFileSync(join(dir, 'app-secret'), '')
  assert.throws(() => loadAppSecret(dir), /damaged/)
  assert.equal(readFileSync(join(dir, 'app-secret'), 'utf8'), '')
})

test('creates no new secret when the secret of a sealed database is missing', () => {
  const dir = mkdtempSync(join(root, 'missing-'))
  assert.throws(() => loadAppSecret(dir, { mayCreate: false }), /app-secret is missing/)
  assert.deepEqual(readdirSync(dir), [])
})

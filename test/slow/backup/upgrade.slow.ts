import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { findFreePort, waitForAnswer } from '#test/servers.ts'

const KEPT = fileURLToPath(new URL('../../fixtures/upgrade/', import.meta.url))
const folder = await mkdtemp(join(tmpdir(), 'kith-upgrade-'))
await chmod(folder, 0o755)
after(() => rm(folder, { recursive: true, force: true }))

const RELEASES = readdirSync(KEPT).filter((name) => name.endsWith('.backup'))

test('has a backup of release 0.1.0 among the fixtures', () => {
  assert.ok(RELEASES.includes('kith-0.1.0.backup'))
})

for (const name of RELEASES)
  test(`upgrades a site restored from ${name} and keeps its passwords, feeds and pictures`, async () => {
    const port = await findFreePort()
    const env = { PATH: process.env.PATH, DATA_DIR: join(folder, name), PORT: String(port) }
    const restore = spawn(process.execPath, ['src/cli.ts', 'restore', join(KEPT, name)], { env })
    let output = ''
    for (const stream of [restore.stdout, restore.stderr]) stream.on('data', (chunk) => (output += chunk))
    const [code] = (await once(restore, 'close')) as [number | null]
    assert.equal(code, 0, output)
    assert.match(output, /✓ ledger_accounts\.balance[\s\S]*No faults found\.\n$/)

    const server = spawn(process.execPath, ['src/main.ts'], { env, stdio: 'ignore' })
    const stopped = once(server, 'exit')
    try {
      const api = `http://127.0.0.1:${port}/api/v2`
      await waitForAnswer(`http://127.0.0.1:${port}/health/ready`)
      const signedIn = await fetch(`${api}/auth/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ login: 'ada_lovelace', password: 'a password of Ada' }),
      })
      assert.equal(signedIn.status, 200)
      const { access_token: token } = (await signedIn.json()) as { access_token: string }
      const headers = { authorization: `Bearer ${token}` }
      const feeds = (await (await fetch(`${api}/feeds?type=new`, { headers })).json()) as {
        feeds: { feed_content: string; images: { file: number }[] }[]
      }
      assert.ok(feeds.feeds.some(({ feed_content: text }) => text.includes('第 5 张照片')))
      const picture = feeds.feeds.flatMap(({ images }) => images)[0]
      const bytes = await fetch(`${api}/files/${picture?.file}`, { headers })
      assert.match(bytes.headers.get('content-type') ?? '', /^image\//)
    } finally {
      server.kill('SIGTERM')
      await stopped
    }
  })

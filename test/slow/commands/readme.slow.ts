import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { findFreePort, waitForAnswer } from '#test/servers.ts'

const folder = await mkdtemp(join(tmpdir(), 'kith-readme-'))
await chmod(folder, 0o755)
after(() => rm(folder, { recursive: true, force: true }))

const README = readFileSync('README.md', 'utf8')
const COMMANDS = [...README.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, block = '']) =>
  block.trim().split('\n'),
)

test('runs the commands of README in their order', async () => {
  const [start = '', ...others] = COMMANDS
  assert.match(start, /^npm start/)
  assert.ok(others.length > 0)
  const port = await findFreePort()
  // The test runner turns site and console off.
  const { CONSOLE, WEB, ...environment } = process.env
  const env = { ...environment, PORT: String(port), DATA_DIR: join(folder, 'data') }
  const server = spawn('sh', ['-c', `exec ${start}`], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(server, 'exit')
  let output = ''
  server.stdout.on('data', (chunk) => {
    output += chunk
  })
  const countFeeds = async () => {
    const reply = await fetch(`http://127.0.0.1:${port}/api/v2/feeds`)
    return ((await reply.json()) as { feeds: unknown[] }).feeds.length
  }
  try {
    await waitForAnswer(`http://127.0.0.1:${port}/health/ready`, server)
    assert.ok((await countFeeds()) > 0)
    for (const page of ['/', '/admin', '/docs'])
      assert.equal((await fetch(`http://127.0.0.1:${port}${page}`)).status, 200, page)
    assert.match(output, /Administrator +root[\s\S]*Console +\S+\/admin[\s\S]*\/docs/)
    for (const command of others) {
      const { status, stdout, stderr } = spawnSync('sh', ['-c', command], { env, encoding: 'utf8' })
      assert.equal(status, 0, `${command}: ${stdout}${stderr}`)
    }
    assert.equal(await countFeeds(), 0)
  } finally {
    server.kill('SIGTERM')
    await ended
  }
})

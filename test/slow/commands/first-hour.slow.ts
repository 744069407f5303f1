import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { openSync, readFileSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { findFreePort, waitForAnswer } from '#test/servers.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

for (const flags of [[], ['--demo']])
  test(`runs every command of docs/first-hour.md on ${flags.length > 0 ? 'the demo' : 'an empty site'}`, async () => {
    await runFirstHour(flags)
  })

async function runFirstHour(flags: string[]) {
  const text = readFileSync(join(ROOT, 'docs/first-hour.md'), 'utf8')
  const blocks = [...text.matchAll(/```sh\n([\s\S]*?)```/g)].map((match) => match[1] ?? '')
  assert.ok(blocks.length >= 9, `saw only ${blocks.length} blocks`)

  const folder = await mkdtemp(join(tmpdir(), 'kith-first-hour-'))
  await chmod(folder, 0o755)
  const port = await findFreePort()
  const output = openSync(join(folder, 'kith.log'), 'w')
  const dataDir = join(folder, 'data')
  const server = spawn(process.execPath, ['src/main.ts', ...flags], {
    cwd: ROOT,
    stdio: ['ignore', output, output],
    env: { ...process.env, PORT: String(port), DATA_DIR: dataDir },
  })
  const stopped = new Promise((resolve) => server.once('exit', resolve))
  try {
    await waitForAnswer(`http://127.0.0.1:${port}/health/ready`)
    const shell = spawn('bash', ['-eu', '-o', 'pipefail', '-c', blocks.join('\n')], {
      cwd: folder,
      env: { ...process.env, KITH: `http://127.0.0.1:${port}`, DATA_DIR: dataDir },
    })
    let printed = ''
    shell.stdout.on('data', (chunk) => {
      printed += chunk
    })
    shell.stderr.on('data', (chunk) => {
      printed += chunk
    })
    const code = await new Promise((resolve) => shell.once('close', resolve))
    assert.equal(code, 0, printed)
    for (const expected of [
      'ada_lovelace\n小白',
      '第 5 张照片',
      '第 1 张照片',
      '真好看',
      '城市摄影',
      'topics.hot',
    ])
      assert.ok(printed.includes(expected), `"${expected}" was not printed:\n${printed}`)
    assert.doesNotMatch(printed, /"errors"|undefined/)
    assert.doesNotMatch(printed, /\}\{/, 'a reply begins on the line of another')

    const logged = readFileSync(join(folder, 'kith.log'), 'utf8')
    const demo = spawnSync(process.execPath, ['src/cli.ts', 'demo'], {
      cwd: ROOT,
      encoding: 'utf8',
      env: { ...process.env, DATA_DIR: dataDir },
    })
    assert.equal(demo.status, 1)
    if (flags.length > 0) {
      assert.match(logged, /^Demo: creating six weeks of activity, 50 %$/m)
      assert.match(demo.stdout, /This site already contains demo data/)
      return
    }
    assert.match(demo.stdout, /DATA_DIR=data-demo npm start -- --demo/)
    const [, first = ''] = /First request +(curl .+)/.exec(logged) ?? []
    const reply = spawnSync('bash', ['-c', first], { cwd: folder, encoding: 'utf8' })
    assert.match(reply.stdout, /^\{"access_token".+\}\n$/)
  } finally {
    server.kill('SIGTERM')
    await stopped
    await rm(folder, { recursive: true, force: true })
  }
}

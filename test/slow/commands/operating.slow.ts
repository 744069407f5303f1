import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { openSync, readFileSync } from 'node:fs'
import { chmod, glob, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { mp3 } from '#test/fixtures/media.ts'
import { findFreePort, waitForAnswer } from '#test/servers.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

const EXPECTED = [
  'reports: 0',
  'pinned: Buy my things',
  'Markets',
  'report.passed',
  'sanctions.impose',
  'passed',
  'song: Morning',
  'No faults found.',
]

test('names only existing console labels in docs/operating.md', async () => {
  const text = readFileSync(join(ROOT, 'docs/operating.md'), 'utf8')
  const named = new Set([...text.matchAll(/\*\*([^*]+)\*\*/g)].map((match) => match[1] ?? ''))
  named.delete('larger')
  assert.ok(named.size > 15, `saw only ${named.size} names`)
  const source: string[] = []
  for await (const file of glob(join(ROOT, 'console/src/**/*.{ts,tsx}')))
    source.push(readFileSync(file, 'utf8'))
  const all = source.join('\n')
  assert.deepEqual(
    [...named].filter((name) => !all.includes(`['${name}', '`)),
    [],
  )
})

test('runs every command of docs/operating.md', async () => {
  const text = readFileSync(join(ROOT, 'docs/operating.md'), 'utf8')
  const blocks = [...text.matchAll(/```sh\n([\s\S]*?)```/g)].map((match) => match[1] ?? '')
  assert.ok(blocks.length >= 13, `saw only ${blocks.length} blocks`)

  const folder = await mkdtemp(join(tmpdir(), 'kith-operating-'))
  await chmod(folder, 0o755)
  const port = await findFreePort()
  const output = openSync(join(folder, 'kith.log'), 'w')
  const dataDir = join(folder, 'data')
  await writeFile(join(folder, 'song.mp3'), mp3())
  const server = spawn(process.execPath, ['src/main.ts'], {
    cwd: ROOT,
    stdio: ['ignore', output, output],
    env: { ...process.env, PORT: String(port), DATA_DIR: dataDir },
  })
  const stopped = new Promise((resolve) => server.once('exit', resolve))
  try {
    await waitForAnswer(`http://127.0.0.1:${port}/health/ready`)
    const shell = spawn(
      'bash',
      ['-eu', '-o', 'pipefail', '-c', blocks.join('\n').replaceAll('$PWD', folder)],
      {
        cwd: ROOT,
        env: {
          ...process.env,
          KITH: `http://127.0.0.1:${port}`,
          DATA_DIR: dataDir,
          SONG: join(folder, 'song.mp3'),
        },
      },
    )
    let printed = ''
    shell.stdout.on('data', (chunk) => {
      printed += chunk
    })
    shell.stderr.on('data', (chunk) => {
      printed += chunk
    })
    const code = await new Promise((resolve) => shell.once('close', resolve))
    assert.equal(code, 0, printed)
    for (const expected of EXPECTED)
      assert.ok(printed.includes(expected), `"${expected}" was not printed:\n${printed}`)
    assert.doesNotMatch(printed, /"errors"|undefined/)
  } finally {
    server.kill('SIGTERM')
    await stopped
    await rm(folder, { recursive: true, force: true })
  }
})

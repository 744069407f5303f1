import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'

const scriptOf = (name: string) => fileURLToPath(new URL(`../scripts/${name}`, import.meta.url))
const INSTALLER = ['install-if-needed.mjs', 'build-packages.mjs', 'lock.mjs']
const root = await mkdtemp(join(tmpdir(), 'kith-slim-'))
after(() => rm(root, { recursive: true, force: true }))

function startWithFakeNode(complaint: string, code: number) {
  const program = `#!/bin/sh\necho '${complaint}' >&2\nexit ${code}\n`
  writeFileSync(join(root, 'node_modules/.bin/node'), program, { mode: 0o755 })
  const { status, stderr } = spawnSync(process.execPath, [join(root, 'scripts/install-if-needed.mjs')], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH },
  })
  return { status, stderr }
}

test('names the package to install when the bundled Node lacks a system library', () => {
  for (const part of ['scripts', 'node_modules/.bin']) mkdirSync(join(root, part), { recursive: true })
  for (const name of INSTALLER) copyFileSync(scriptOf(name), join(root, 'scripts', name))
  for (const lock of ['package-lock.json', 'node_modules/.package-lock.json'])
    writeFileSync(join(root, lock), '{"packages": {}}')
  const lacking = startWithFakeNode(
    'node: error while loading shared libraries: libatomic.so.1: cannot open shared object file',
    127,
  )
  assert.deepEqual(lacking, {
    status: 1,
    stderr:
      'kith: its Node.js needs libatomic.so.1, which this system does not have: install the package libatomic1 ' +
      '(Debian, Ubuntu) or libatomic (Fedora, Alpine).\n',
  })
  assert.deepEqual(startWithFakeNode('', 0), { status: 0, stderr: '' })
})

test('runs a program on the bundled Node directly after the installation', () => {
  const clone = join(root, 'clone')
  for (const part of ['scripts', 'host']) mkdirSync(join(clone, part), { recursive: true })
  for (const name of [...INSTALLER, 'run.mjs']) copyFileSync(scriptOf(name), join(clone, 'scripts', name))
  writeFileSync(join(clone, 'package-lock.json'), '{"packages": {}}')
  const write = (path: string, lines: string) =>
    writeFileSync(join(clone, path), `#!/bin/sh\n${lines}\n`, { mode: 0o755 })
  write('host/node', `exec '${process.execPath}' "$@"`)
  write(
    'host/npm',
    `mkdir -p node_modules/.bin
echo '{"packages": {}}' > node_modules/.package-lock.json
printf '#!/bin/sh\\necho "carried $*"' > node_modules/.bin/node
chmod +x node_modules/.bin/node`,
  )
  const path = [join(clone, 'node_modules/.bin'), join(clone, 'host'), '/usr/bin', '/bin'].join(':')
  const { status, stdout } = spawnSync('sh', ['-c', 'node scripts/run.mjs bench/site.ts --open'], {
    cwd: clone,
    encoding: 'utf8',
    env: { PATH: path },
  })
  assert.deepEqual([status, stdout], [0, 'carried bench/site.ts --open\n'])
})

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'

const PLATFORM = `${process.platform}-${process.arch}`
const CARRIED = `node_modules/${PLATFORM === 'darwin-arm64' ? 'node-bin' : 'node'}-${PLATFORM}/bin`
const INSTALLER = ['prepare.mjs', 'build-packages.mjs', 'child.mjs', 'lock.mjs']

function copyScripts(to: string, names: string[]) {
  for (const part of ['bin', 'scripts', CARRIED]) mkdirSync(join(to, part), { recursive: true })
  for (const path of ['bin/carried-node.mjs', ...names.map((name) => `scripts/${name}`)])
    copyFileSync(fileURLToPath(new URL(`../${path}`, import.meta.url)), join(to, path))
  writeFileSync(join(to, 'package.json'), '{}')
  writeFileSync(join(to, 'package-lock.json'), '{"packages": {}}')
}

const root = await mkdtemp(join(tmpdir(), 'kith-slim-'))
after(() => rm(root, { recursive: true, force: true }))

function startWithFakeNode(complaint: string, code: number) {
  const program = `#!/bin/sh\necho '${complaint}' >&2\nexit ${code}\n`
  writeFileSync(join(root, CARRIED, 'node'), program, { mode: 0o755 })
  const { status, stderr } = spawnSync(process.execPath, [join(root, 'scripts/prepare.mjs')], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH },
  })
  return { status, stderr }
}

test('names the package to install when the bundled Node lacks a system library', () => {
  copyScripts(root, INSTALLER)
  writeFileSync(join(root, 'node_modules/.package-lock.json'), '{"packages": {}}')
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
  copyScripts(clone, [...INSTALLER, 'run.mjs'])
  rmSync(join(clone, 'node_modules'), { recursive: true })
  mkdirSync(join(clone, 'host'))
  const write = (path: string, lines: string) =>
    writeFileSync(join(clone, path), `#!/bin/sh\n${lines}\n`, { mode: 0o755 })
  write('host/node', `exec '${process.execPath}' "$@"`)
  write(
    'host/npm',
    `mkdir -p ${CARRIED}
echo '{"packages": {}}' > node_modules/.package-lock.json
printf '#!/bin/sh\\necho "carried $*"' > ${CARRIED}/node
chmod +x ${CARRIED}/node`,
  )
  const path = [join(clone, 'host'), '/usr/bin', '/bin'].join(':')
  const { status, stdout } = spawnSync('sh', ['-c', 'node scripts/run.mjs bench/site.ts --open'], {
    cwd: clone,
    encoding: 'utf8',
    env: { PATH: path },
  })
  assert.deepEqual([status, stdout], [0, 'carried bench/site.ts --open\n'])
})

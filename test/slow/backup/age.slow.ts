import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { seal } from '#backup/seal.ts'

const folder = await mkdtemp(join(tmpdir(), 'kith-age-'))
after(() => rm(folder, { recursive: true, force: true }))
const skip = !existsSync('/usr/bin/age') && process.env.CI !== 'true' && 'age is not installed'

/** Runs age in `script`, because age asks for the passphrase on a terminal. */
async function decrypt(file: string, to: string, passphrase: string): Promise<number> {
  const child = spawn('script', ['-qec', `age -d -o ${to} ${file}`, '/dev/null'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  let isAnswered = false
  child.stdout.on('data', (chunk: Buffer) => {
    if (isAnswered || !/passphrase/i.test(String(chunk))) return
    isAnswered = true
    child.stdin.write(`${passphrase}\n`)
  })
  const [code] = await once(child, 'exit')
  return Number(code)
}

for (const [size, bytes] of [
  ['a backup of one chunk', 64 * 1024],
  ['a backup of several chunks', 1_000_003],
] as const)
  test(`decrypts ${size} with age -d`, { skip }, async () => {
    const plain = Buffer.alloc(bytes, 'kith ')
    const [sealed, opened] = [join(folder, `${bytes}.age`), join(folder, `${bytes}.tar`)]
    await writeFile(
      sealed,
      seal(
        (async function* () {
          yield plain
        })(),
        'correct horse battery',
      ),
    )
    assert.equal(await decrypt(sealed, opened, 'correct horse battery'), 0)
    assert.ok((await readFile(opened)).equals(plain))
  })

test('fails to decrypt with age when the passphrase is wrong', { skip }, async () => {
  const sealed = join(folder, 'other.age')
  await writeFile(
    sealed,
    seal(
      (async function* () {
        yield Buffer.from('kith')
      })(),
      'correct horse battery',
    ),
  )
  assert.notEqual(await decrypt(sealed, join(folder, 'other.tar'), 'another passphrase'), 0)
})

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { signUpsOn } from '#test/sign-up.ts'
import { createRunningWorld } from '../../sdk/running.ts'

const run = promisify(execFile)
const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const world = await createRunningWorld()
const { signUp } = signUpsOn(world)
/** Inside the project, so that the compiler is found. */
const cache = join(ROOT, 'node_modules/.cache')
await mkdir(cache, { recursive: true })
const stage = await mkdtemp(join(cache, 'sdk-'))
const project = await mkdtemp(join(tmpdir(), 'kith-sdk-'))
after(() => Promise.all([stage, project].map((path) => rm(path, { recursive: true, force: true }))))

/** Packs the library as for publication, and installs it into an empty folder. */
async function install(): Promise<string[]> {
  for (const path of ['package.json', 'tsconfig.json', 'README.md', 'LICENSE', 'src'])
    await cp(join(ROOT, 'sdk', path), join(stage, path), { recursive: true })
  const { dependencies } = JSON.parse(await readFile(join(stage, 'package.json'), 'utf8'))
  for (const name of Object.keys(dependencies))
    await cp(join(ROOT, 'node_modules', name), join(stage, 'node_modules', name), { recursive: true })
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', project], { cwd: stage })
  const [packed] = JSON.parse(stdout.slice(stdout.indexOf('['))) as [
    { filename: string; files: { path: string }[] },
  ]
  await writeFile(join(project, 'package.json'), '{ "name": "empty", "private": true, "type": "module" }')
  // Installs without a network, because the package has no dependencies.
  const options = ['--offline', '--no-audit', '--no-fund', '--cache', join(project, 'cache')]
  await run('npm', ['install', ...options, packed.filename], { cwd: project })
  return packed.files.map(({ path }) => path)
}

const files = await install()

test('packs runnable files and types, without sources and tools', () => {
  for (const path of ['dist/index.js', 'dist/index.d.ts', 'dist/generated/api.d.ts', 'README.md', 'LICENSE'])
    assert.ok(files.includes(path), path)
  assert.deepEqual(
    files.filter((path) => /^(src|scripts|test)\//.test(path)),
    [],
  )
})

test("runs the README's example in an empty project", async () => {
  const readme = await readFile(join(ROOT, 'sdk/README.md'), 'utf8')
  const [, example = ''] = /```js\n(import .*?)```/s.exec(readme) ?? []
  assert.ok(example.split('\n').length <= 35, 'the example is short')
  await writeFile(join(project, 'example.js'), example)
  const ann = await signUp()
  const { stdout } = await run(process.execPath, ['example.js'], {
    cwd: project,
    env: { ...process.env, KITH_URL: world.url, KITH_LOGIN: ann.name, KITH_PASSWORD: ann.password },
  })
  assert.deepEqual(stdout.trim().split('\n'), [
    `signed in as ${ann.name}`,
    'new: Hello from the client',
    'refused with 422',
  ])
})

test('types the input and reply of an operation', async () => {
  const program = `import { createClient, type Schema } from '@kith/client'
const kith = createClient({ url: 'http://127.0.0.1' })
export const name: Promise<string> = kith.get('/user').then((me) => me.name)
export const nothing: Promise<undefined> = kith.put('/user/followings/{target}', { params: { path: { target: 1 } } })
export async function* texts(): AsyncGenerator<string | null> {
  for await (const feed of kith.list('/feeds')) yield feed.feed_content
  for await (const user of kith.list('/admin/users', { params: { query: { q: 'ann' } } })) yield user.name
}
export const user: Schema<'User'> | null = null
// @ts-expect-error there is no such path
kith.get('/no-such-path')
// @ts-expect-error the path has a parameter
kith.get('/feeds/{feed}')
// @ts-expect-error a list without pages is no list to go through
kith.list('/user')
`
  await writeFile(join(project, 'program.ts'), program)
  const options = [
    '--noEmit',
    '--strict',
    '--module',
    'nodenext',
    '--target',
    'es2022',
    '--lib',
    'es2022,dom',
  ]
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc')
  const { stdout } = await run(process.execPath, [tsc, ...options, '--skipLibCheck', 'program.ts'], {
    cwd: project,
  }).catch((error) => error as { stdout: string })
  assert.equal(stdout, '')
})

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
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
const scratch = await mkdtemp(join(tmpdir(), 'kith-sdk-'))
const project = join(scratch, 'project')
after(() => rm(scratch, { recursive: true, force: true }))

async function copyFilesKnownToGit(name: string): Promise<string> {
  const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
  // Git refuses a checkout of another user, as in CI.
  const { stdout } = await run('git', ['-c', 'safe.directory=*', ...list], { cwd: ROOT, maxBuffer: 2 ** 24 })
  const paths = stdout.split('\0').filter((path) => path !== '' && existsSync(join(ROOT, path)))
  const folder = join(scratch, name)
  await Promise.all(paths.map((path) => cp(join(ROOT, path), join(folder, path))))
  return folder
}

type Packed = { filename: string; files: { path: string }[] }

async function pack(checkout: string, env: NodeJS.ProcessEnv = {}): Promise<Packed> {
  const destination = await mkdtemp(join(scratch, 'packed-'))
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', destination], {
    cwd: join(checkout, 'sdk'),
    env: { ...process.env, ...env },
  })
  const [{ filename, files }] = JSON.parse(stdout.slice(stdout.indexOf('['))) as [Packed]
  return { filename: join(destination, filename), files }
}

async function install(packed: Packed, folder: string): Promise<void> {
  await mkdir(folder)
  await writeFile(join(folder, 'package.json'), '{ "name": "empty", "private": true, "type": "module" }')
  const options = ['--offline', '--no-audit', '--no-fund', '--cache', join(folder, 'cache')]
  await run('npm', ['install', ...options, packed.filename], { cwd: folder })
}

const OFFLINE = {
  npm_config_registry: 'http://127.0.0.1:9',
  npm_config_fetch_retries: '0',
  npm_config_cache: join(scratch, 'no-cache'),
}

const checkout = await copyFilesKnownToGit('fresh')
const packed = await pack(checkout)
const files = packed.files.map(({ path }) => path)
await install(packed, project)

test('packs the build, README and licence without sources, scripts and tests', () => {
  for (const path of ['dist/index.js', 'dist/index.d.ts', 'dist/generated/api.d.ts', 'README.md', 'LICENSE'])
    assert.ok(files.includes(path), path)
  assert.deepEqual(
    files.filter((path) => /^(src|scripts|test)\//.test(path)),
    [],
  )
})

test('packs all dependencies with their licences', async () => {
  const { dependencies, bundleDependencies } = JSON.parse(
    await readFile(join(project, 'node_modules/@kith/client/package.json'), 'utf8'),
  )
  assert.deepEqual([dependencies, bundleDependencies], [undefined, undefined])
  assert.deepEqual(
    (await readdir(join(project, 'node_modules'))).filter((name) => !name.startsWith('.')),
    ['@kith'],
  )
  for (const name of ['openapi-fetch', 'openapi-typescript-helpers'])
    assert.ok(files.includes(`dist/vendor/${name}/LICENSE`), name)
})

test('packs the same files without network access when dependencies are installed', async () => {
  const installed = await copyFilesKnownToGit('installed')
  await symlink(join(ROOT, 'node_modules'), join(installed, 'node_modules'))
  const again = await pack(installed, OFFLINE)
  assert.deepEqual(
    again.files.map(({ path }) => path),
    files,
  )
})

test('packs nothing when dependencies cannot be installed', async () => {
  const offline = await copyFilesKnownToGit('offline')
  const refused = await pack(offline, OFFLINE).then(
    () => assert.fail('a package was made'),
    (error: { code: number; stderr: string }) => error,
  )
  assert.notEqual(refused.code, 0)
  assert.match(
    refused.stderr,
    /@kith\/client: typescript 5\S+, openapi-fetch .* are missing .*: run `npm ci` in sdk\//,
  )
  assert.equal(existsSync(join(offline, 'sdk/dist')), false)
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

test('exports types for the input and the response of an operation', async () => {
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
  const { stdout } = await run(process.execPath, [tsc, ...options, 'program.ts'], { cwd: project }).catch(
    (error) => error as { stdout: string },
  )
  assert.equal(stdout, '')
})

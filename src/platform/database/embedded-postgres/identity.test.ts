import assert from 'node:assert/strict'
import { chmod, chown, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, mock, test } from 'node:test'
import { changeOwner, changeTreeOwner, chooseSystemUser } from './identity.ts'

const root = await mkdtemp(join(tmpdir(), 'kith-identity-'))
await chmod(root, 0o755)
after(() => rm(root, { recursive: true, force: true }))
const isRoot = process.getuid?.() === 0
const STRANGER = 54321

async function install(name: string) {
  const native = join(root, name, 'native')
  const above = join(root, name, 'above')
  const cluster = join(above, 'postgres', 'cluster')
  const data = join(native, 'share', 'postgresql')
  for (const each of [data, cluster]) await mkdir(each, { recursive: true })
  const [initdb, bki] = [join(native, 'initdb'), join(data, 'postgres.bki')]
  for (const each of [initdb, bki]) await writeFile(each, '', { mode: 0o755 })
  const binaries = { native, initdb, postgres: '/bin/true' }
  const choose = () => chooseSystemUser(binaries, cluster)
  return { above, cluster, initdb, choose }
}

test('runs the database as the current user when the server does not run as root', async () => {
  const { choose } = await install('own')
  const uid = mock.method(process as { getuid(): number }, 'getuid', () => STRANGER)
  try {
    assert.equal((await choose()).name, 'self')
  } finally {
    uid.mock.restore()
  }
})

test('runs the database as a user with access to its files when the server runs as root', {
  skip: !isRoot,
}, async () => {
  const nameOf = async (change: (at: Awaited<ReturnType<typeof install>>) => Promise<unknown>) => {
    const at = await install('lent')
    await change(at)
    const { name } = await at.choose()
    await rm(join(root, 'lent'), { recursive: true })
    return name
  }
  assert.equal(await nameOf(async () => {}), 'user 65534')
  const owned = await nameOf(async ({ cluster }) => {
    await writeFile(join(cluster, 'PG_VERSION'), '17')
    await chown(join(cluster, 'PG_VERSION'), STRANGER, STRANGER)
  })
  assert.equal(owned, `user ${STRANGER}`)
  const below = await nameOf(async ({ above }) => {
    await chmod(above, 0o700)
    await chown(above, STRANGER, STRANGER)
  })
  assert.equal(below, `user ${STRANGER}`)
  const reading = await nameOf(async ({ above, initdb }) => {
    await chmod(initdb, 0o700)
    for (const each of [above, initdb]) await chown(each, STRANGER, STRANGER)
  })
  assert.equal(reading, `user ${STRANGER}`)
})

test('rejects an installation without `initdb`', { skip: !isRoot }, async () => {
  const { initdb, choose } = await install('missing')
  await rm(initdb)
  await assert.rejects(choose(), /no other identity works here/)
})

test("changes no file owner when PostgreSQL runs as the server's user", { skip: !isRoot }, async () => {
  const self = { name: 'self', prefix: [], spawn: {}, owner: null }
  const file = join(root, 'of a stranger')
  await writeFile(file, '')
  await chown(file, STRANGER, STRANGER)
  await changeOwner(file, self)
  await changeTreeOwner(root, self)
  assert.equal((await stat(file)).uid, STRANGER)
})

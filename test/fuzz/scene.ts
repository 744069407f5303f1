import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'
import { hashPassword } from '#modules/accounts/index.ts'
import { seedMobileLists } from '#test/clients/mobile-lists-seed.ts'
import { seedForMobile } from '#test/clients/mobile-seed.ts'
import { seedForClients } from '#test/clients/seed.ts'
import { seedForAccess } from '#test/fixtures/access.ts'
import { certify, givePoints } from '#test/fixtures/news.ts'
import { storePicture } from '#test/fixtures/nodes.ts'
import { uploadPicture } from '#test/fixtures/uploads.ts'
import { walletsOf } from '#test/fixtures/wallets.ts'
import type { Person, World } from '#test/world.ts'
import type { Row } from './pools.ts'

export const PASSWORD = 'a password of tests'

export type Scene = {
  founder: Person
  people: Person[]
  /** Users whom administrators may punish, because they write nothing. */
  idle: Person[]
  known: Row[]
  /** Address of a server that accepts webhooks. */
  listener: string
  /** Returns an upload that nothing uses yet. */
  freshFile(person: Person): Promise<number>
  freshNode(person: Person): Promise<string>
  contactOf(person: Person): { email: string; phone: string }
}

/**
 * People who can do everything together: a founder, authors and moderators of content of every kind, and plain
 * members. All have points, wallet money, an e-mail address, a phone number and the same password.
 */
export async function seedForFuzzing(world: World): Promise<Scene> {
  const { sql } = world
  const { owner, stranger } = await seedForAccess(world)
  const seed = await seedForClients(world)
  const { md5, im } = await seedMobile(world, seed)
  const founder = await world.person({ roles: ['founder', 'owner'] })
  const idle = [await world.person(), await world.person(), await world.person()]
  const people = [founder, owner, stranger, seed.reader, seed.writer]
  const everybody = [...people, ...idle]
  const contactOf = ({ id }: Person) => ({ email: `fuzz${id}@example.com`, phone: `1391${1_000_000 + id}` })
  const password = await hashPassword(PASSWORD)
  const { give } = await walletsOf(world)
  await certify(world, ...people.slice(0, 3))
  for (const person of everybody) {
    const { email, phone } = contactOf(person)
    await sql`
      update users set password = ${password}, email = ${email}, email_key = ${email}, phone = ${phone}
      where id = ${person.id}`
    await givePoints(world, person, 1_000_000)
    await give(person, 'wallet', 1_000_000)
  }
  const known: Row[] = [
    ...everybody.map(({ id }) => ({ user: id })),
    ...['user', 'org'].map((name) => ({ name })),
    { md5 },
    { im_group: im, reader: seed.reader.id },
  ]
  return {
    founder,
    people,
    idle,
    known,
    contactOf,
    listener: await acceptWebhooks(),
    freshFile: (person) => uploadPicture(world, person),
    freshNode: (person) => storePicture(world, person),
  }
}

async function seedMobile(world: World, seed: Awaited<ReturnType<typeof seedForClients>>) {
  const { md5, imGroup } = await seedMobileLists(world, seed, await seedForMobile(world, seed))
  return { md5, im: imGroup }
}

async function acceptWebhooks(): Promise<string> {
  const server = createServer((request, response) => {
    request.resume()
    response.end()
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  server.unref()
  after(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

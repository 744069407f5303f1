import { randomBytes } from 'node:crypto'
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { isUserName, loginKind } from '#lib/identifiers.ts'
import { networkOf } from '#lib/networks.ts'
import { createUser, findAccount, setPassword } from '#modules/accounts/index.ts'
import { freeAddress } from '#modules/address-blocks/index.ts'
import { transaction } from '#platform/database.ts'
import { ApiError } from '#platform/errors.ts'
import type { Opened } from '#platform/open-context.ts'
import { hashPassword } from '#platform/passwords.ts'
import { prepareDatabase } from '../prepare.ts'
import { type Environment, withContext } from './context.ts'

type Choice = { password?: string; random?: boolean; role?: string[] }

/** `kith admin create NAME` */
export async function createAdministrator(env: Environment, name: string, choice: Choice): Promise<number> {
  if (!isUserName(name)) throw new Error(`"${name}" is not a user name`)
  return withPassword(env, choice, async ({ ctx }, hashed) => {
    const roles = choice.role ?? ['founder']
    const known = await ctx.sql<{ name: string }[]>`select name from roles where name = any(${roles})`
    for (const role of roles)
      if (!known.some((row) => row.name === role)) throw new Error(`there is no role ${role}`)
    const person = { name, password: hashed, roles: [...roles, 'owner'] }
    const id = await transaction(ctx.sql, (tx) => createUser(tx, person))
    process.stdout.write(`Created ${name} (id ${id}) with the roles ${person.roles.join(', ')}.\n`)
  })
}

/** `kith admin reset-password NAME`: the name may be an e-mail address, a phone number or an id, too. */
export function resetPassword(env: Environment, name: string, choice: Choice): Promise<number> {
  return withPassword(env, choice, async ({ ctx }, hashed) => {
    const account = await findAccount(ctx.sql, loginKind(name))
    if (!account) throw new Error(`there is nobody called ${name}`)
    await transaction(ctx.sql, (tx) => setPassword(ctx, tx, account.id, hashed))
    process.stdout.write(`${account.name} has a new password and is signed out everywhere.\n`)
    if (account.disabled) process.stdout.write('The account is disabled.\n')
  })
}

/** `kith admin unblock ADDRESS`: for whoever blocked the network that they come from themselves. */
export async function unblock(env: Environment, address: string): Promise<number> {
  if (networkOf(address) === undefined) throw new Error(`"${address}" is no address`)
  await withContext(env, async ({ ctx, forJobs, connection }) => {
    await prepareDatabase(forJobs, connection)
    const networks = await freeAddress(ctx, address)
    process.stdout.write(
      networks.length === 0
        ? `${address} was not blocked.\n`
        : `No longer blocked: ${networks.join(', ')}.\n`,
    )
  })
  return 0
}

async function withPassword(
  env: Environment,
  choice: Choice,
  work: (opened: Opened, hashed: string) => Promise<void>,
): Promise<number> {
  const { password, madeUp } = await choosePassword(choice)
  const length = [...password].length
  if (length < 8 || length > 128) throw new Error('a password has 8 to 128 characters')
  try {
    await withContext(env, async (opened) => {
      await prepareDatabase(opened.forJobs, opened.connection)
      await work(opened, await hashPassword(password))
    })
  } catch (error) {
    const [text] = error instanceof ApiError ? Object.values(error.details.errors ?? {}).flat() : []
    throw text ? new Error(text.en) : error
  }
  if (madeUp) process.stdout.write(`Password: ${password}\n`)
  return 0
}

async function choosePassword({ password, random }: Choice): Promise<{ password: string; madeUp: boolean }> {
  if (password !== undefined) return { password, madeUp: false }
  if (random || !process.stdin.isTTY) return { password: randomBytes(12).toString('base64url'), madeUp: true }
  const typed = await ask('Password: ')
  if ((await ask('Again: ')) !== typed) throw new Error('the two passwords differ')
  return { password: typed, madeUp: false }
}

/** Reads a line without showing it. */
async function ask(question: string): Promise<string> {
  process.stderr.write(question)
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const terminal = createInterface({ input: process.stdin, output: nowhere, terminal: true })
  try {
    return await terminal.question('')
  } finally {
    terminal.close()
    process.stderr.write('\n')
  }
}

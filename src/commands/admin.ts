import { randomBytes } from 'node:crypto'
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { isUserName, loginKind } from '#lib/identifiers.ts'
import { createUser, enableAccount, findAccount, hashPassword, setPassword } from '#modules/accounts/index.ts'
import { networkOf, removeBlocksOfAddress } from '#modules/address-blocks/index.ts'
import { deleteLinks, listLinked } from '#modules/linked-accounts/index.ts'
import { transaction } from '#platform/database'
import { ApiError } from '#platform/errors.ts'
import type { OpenedContext } from '#startup/open-context.ts'
import { prepareDatabase } from '#startup/prepare.ts'
import { type Environment, withContext } from './context.ts'

type Choice = { password?: string; random?: boolean; role?: string[]; enable?: boolean; unlink?: boolean }

export async function createAdministrator(env: Environment, name: string, choice: Choice): Promise<number> {
  if (!isUserName(name)) throw new Error(`"${name}" is not a valid user name`)
  return withPassword(env, choice, async ({ ctx }, hashed) => {
    const [move] = await ctx.sql<{ source: string }[]>`select source from imports where closed_at is null`
    // Rejects a new user while an import is open, because a later run may import an old user with the same
    // id.
    if (move)
      throw new Error(
        `the import from ${move.source} is open: close it with \`kith import ${move.source} --close\`, or give a user of ` +
          'the old site access with `kith admin reset-password`',
      )
    const roles = choice.role ?? ['founder']
    const known = await ctx.sql<{ name: string }[]>`select name from roles where name = any(${roles})`
    for (const role of roles)
      if (!known.some((row) => row.name === role)) throw new Error(`unknown role ${role}`)
    const person = { name, password: hashed, roles: [...roles, 'owner'] }
    const id = await transaction(ctx.sql, (tx) => createUser(tx, person))
    process.stdout.write(`Created ${name} (id ${id}) with the roles ${person.roles.join(', ')}.\n`)
  })
}

/** Implements `kith admin reset-password NAME`. NAME can also be an e-mail address, a phone number or an id. */
export function resetPassword(env: Environment, name: string, choice: Choice): Promise<number> {
  return withPassword(env, choice, async ({ ctx }, hashed) => {
    const account = await findAccount(ctx.sql, loginKind(name))
    if (!account) throw new Error(`unknown user ${name}`)
    const links = await transaction(ctx.sql, async (tx) => {
      await setPassword(ctx, tx, account.id, hashed)
      if (choice.enable) await enableAccount(ctx, tx, account.id)
      const providers = await listLinked(tx, account.id)
      if (choice.unlink) await deleteLinks(ctx, tx, account.id)
      return providers
    })
    process.stdout.write(`${account.name} has a new password and is signed out everywhere.\n`)
    if (links.length > 0)
      process.stdout.write(
        choice.unlink
          ? `The account is no longer linked with ${links.join(', ')}.\n`
          : `The account can still sign in with ${links.join(', ')}. Add --unlink to remove these links.\n`,
      )
    if (!account.disabled) return
    process.stdout.write(
      choice.enable
        ? 'The account was disabled and is now enabled.\n'
        : 'The account is disabled and cannot sign in. Add --enable to enable it.\n',
    )
  })
}

/**
 * Implements `kith admin unblock ADDRESS`, for administrators who blocked the IP address of their own
 * network.
 */
export async function unblock(env: Environment, address: string): Promise<number> {
  if (networkOf(address) === undefined) throw new Error(`"${address}" is not an IP address or network`)
  await withContext(env, async ({ ctx, forJobs, connection }) => {
    await prepareDatabase(forJobs, connection)
    const networks = await removeBlocksOfAddress(ctx, address)
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
  work: (opened: OpenedContext, hashed: string) => Promise<void>,
): Promise<number> {
  const { password, madeUp } = await choosePassword(choice)
  const length = [...password].length
  if (length < 8 || length > 128) throw new Error('a password must have 8 to 128 characters')
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
  if ((await ask('Repeat the password: ')) !== typed) throw new Error('the two passwords differ')
  return { password: typed, madeUp: false }
}

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

import { randomBytes } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isUserName } from '#lib/identifiers.ts'
import { hasHolder } from '#modules/abilities/index.ts'
import type { Context } from '#platform/context.ts'
import { transaction } from '#platform/database'
import { hashPassword } from '#platform/passwords.ts'
import { createUser, isNameTaken, lockFounding } from './service.ts'

/** File with the generated password of the first administrator. */
export const founderPasswordPath = (ctx: Context) => join(ctx.config.dataDir, 'founder-password')

/**
 * Creates the first administrator unless a founder exists, once even if several nodes start together.
 * Imported users do not count as founders. Returns `password` only if it was generated.
 */
export async function ensureFounder(ctx: Context): Promise<{ name: string; password?: string } | undefined> {
  if (await hasHolder(ctx.sql, 'founder')) return undefined
  const { founderName: name, founderPassword } = ctx.config
  if (!isUserName(name)) throw new Error(`FOUNDER_NAME cannot be "${name}": it is not a user name`)
  if ((founderPassword?.length ?? 0) > 128) throw new Error('FOUNDER_PASSWORD has more than 128 characters')
  const password = founderPassword ?? randomBytes(12).toString('base64url')
  const hashed = await hashPassword(password)
  return transaction(ctx.sql, async (tx) => {
    await lockFounding(tx)
    if (await hasHolder(tx, 'founder')) return undefined
    if (await isNameTaken(tx, name))
      throw new Error(
        `There is no founder, and another user has the name "${name}": set FOUNDER_NAME, or run kith admin create.`,
      )
    await createUser(tx, { name, password: hashed, roles: ['founder', 'owner'] })
    if (founderPassword !== undefined) return { name }
    // Written before the commit: an orphaned file is better than an administrator with an unknown password.
    const path = founderPasswordPath(ctx)
    await rm(path, { force: true })
    await writeFile(path, `${password}\n`, { mode: 0o600, flag: 'wx' })
    return { name, password }
  })
}

import { randomBytes } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isUserName, normalizeEmail } from '#lib/identifiers.ts'
import { grams, lookalikeKey, nameKey } from '#lib/text.ts'
import { addRoles, hasHolder } from '#modules/abilities/index.ts'
import { recordConsents } from '#modules/pages/index.ts'
import { type IssuedToken, issueToken } from '#modules/tokens/index.ts'
import {
  emailTaken,
  followFamous,
  NAME_ERRORS,
  nameReserved,
  nameTaken,
  phoneTaken,
  USER_CONSTRAINTS,
} from '#modules/users/index.ts'
import { publishEvent } from '#modules/webhooks/index.ts'
import { screenWords, sensitiveWords } from '#modules/words/index.ts'
import type { Config } from '#platform/config'
import type { Context } from '#platform/context.ts'
import { type Db, onConstraint, type Tx, transaction } from '#platform/database'
import { invalidField } from '#platform/errors.ts'
import { type Device, deviceOf, localizedMessage, Message, routesOn, type Server, Type } from '#platform/http'
import { addJob } from '#platform/jobs'
import { recordInvitation } from '../invitations/service.ts'
import { insertRequest } from '../requests.ts'
import { readAccountSettings } from '../settings.ts'
import { accountOf, checkCode, storedAccount, useCode } from './codes.ts'
import { hashPassword } from './hashing.ts'
import {
  CONTACT_ERRORS,
  checkContact,
  checkRegistrationMethod,
  REGISTRATION_RULE_ERRORS,
  type RegistrationContext,
} from './registration-rules.ts'
import { accountWaiting, type NewUser, RegisteredToken, Registration, wrongCode } from './schema.ts'

async function insertUser(sql: Db, user: NewUser): Promise<number> {
  const { name, password, email = null, phone = null, verified = false, waiting } = user
  const [row] = await sql<[{ id: number }]>`
    with made as (
      insert into users (name, name_key, name_grams, password, email, email_key, phone,
        email_verified_at, phone_verified_at, deleted_at)
      values (${name}, ${nameKey(name)}, ${grams(name)}, ${password}, ${email},
        ${email === null ? null : normalizeEmail(email)}, ${phone},
        ${verified && email !== null ? sql`now()` : null}, ${verified && phone !== null ? sql`now()` : null},
        ${waiting ? sql`now()` : null})
      returning id
    ),
    counted as (insert into user_counts (user_id) select id from made)
    select id from made`
  return row.id
}

async function isNameTaken(sql: Db, name: string, exceptId = 0): Promise<boolean> {
  const [row] = await sql<[{ taken: boolean }]>`
    select exists (select from users where name_key = ${nameKey(name)} and id <> ${exceptId}) as taken`
  return row.taken
}

export async function isNameOf(sql: Db, id: number, name: string): Promise<boolean> {
  const [row] = await sql<[{ same: boolean }]>`
    select exists (select from users where id = ${id} and name = ${name}) as same`
  return row.same
}

/** Takes an advisory lock, so that only one of several starting server nodes creates the founder. */
async function lockFounding(tx: Db): Promise<void> {
  await tx`select pg_advisory_xact_lock(4127003)`
}

/** Creates a user without permission checks. Throws 422 if the name, e-mail or phone is in use. */
export async function createUser(tx: Db, user: NewUser): Promise<number> {
  const id = await onConstraint(insertUser(tx, user), USER_CONSTRAINTS)
  await addRoles(tx, id, [...user.roles])
  if (user.waiting) {
    // When the request is approved, the server adds the follows of famous users and enqueues the
    // `user_created` job.
    await insertRequest(tx, id, user.name, user.waiting.introduction)
    return id
  }
  await followFamous(tx, id)
  // Higher modules react to this job, because this module must not import higher modules.
  await addJob(tx, 'user_created', { id })
  return id
}

/**
 * Throws 422 unless the name is valid, not reserved and not in use (conventions-32). Accepts the user's
 * current name, because clients send the whole profile back.
 */
export async function checkUserName(ctx: Context, name: string, exceptId = 0): Promise<void> {
  if (exceptId !== 0 && (await isNameOf(ctx.sql, exceptId, name))) return
  if (!isUserName(name))
    throw invalidField('name', {
      en: 'A name must have 2 to 12 characters, where an ASCII character counts as half. It must begin with a letter, an underscore or a non-ASCII character, and may not contain spaces or punctuation.',
      zh: '用户名须为 2 至 12 个字（ASCII 字符算半个），以字母、下划线或汉字等非 ASCII 字符开头，不能包含空格和标点符号。',
    })
  const reserved = (await readAccountSettings(ctx))['site:reserved-nickname'].split(',').map(lookalikeKey)
  if (reserved.includes(lookalikeKey(name))) throw nameReserved()
  if (await isNameTaken(ctx.sql, name, exceptId)) throw nameTaken()
}

async function register(ctx: Context, input: Registration, device: Device) {
  // Checks the registration method before the form's fields, so that users do not correct a form in vain.
  const account = accountOf(input)
  const { invitation_code: invitation, introduction, agreed } = input
  const arrival: RegistrationContext = { door: account.field, invitation, introduction, agreed, device }
  await checkRegistrationMethod(ctx, arrival)
  await checkContact(ctx, account)
  const body = await screenWords(ctx, input, Registration, ['name', 'introduction'])
  await checkUserName(ctx, body.name)
  if (account.channel !== body.verifiable_type)
    throw invalidField('verifiable_type', {
      en: 'Use mail for an e-mail address and sms for a phone number.',
      zh: '邮箱请使用 mail，手机号请使用 sms。',
    })
  await checkCode(ctx, account, 'register', body.verifiable_code)
  const password = body.password === undefined ? null : await hashPassword(body.password)
  const person = { name: body.name, password, verified: true, [account.field]: account.value }
  const issued = await registerUser(ctx, { ...arrival, introduction: body.introduction }, person, (tx) =>
    useCode(ctx, tx, account, 'register', body.verifiable_code),
  )
  if (!issued) return undefined
  const { access_token, expires_in, refresh_ttl } = issued
  return { token: access_token, ttl: expires_in, refresh_ttl }
}

export async function checkNewcomerName(
  ctx: Context,
  arrival: RegistrationContext,
  wanted: string,
): Promise<string> {
  await checkRegistrationMethod(ctx, arrival)
  const { name } = await screenWords(ctx, { name: wanted }, Type.Pick(Registration, ['name']), ['name'])
  await checkUserName(ctx, name)
  return name
}

/**
 * Returns undefined if the new user needs approval. `prove` consumes the proof of identity in the transaction
 * that creates the user.
 */
export async function registerUser(
  ctx: Context,
  arrival: RegistrationContext,
  person: Omit<NewUser, 'roles'>,
  prove: (tx: Tx, id: number) => PromiseLike<unknown>,
): Promise<IssuedToken | undefined> {
  await checkRegistrationMethod(ctx, arrival)
  if (person.email) await checkContact(ctx, storedAccount('email', person.email))
  if (person.phone) await checkContact(ctx, storedAccount('phone', person.phone))
  const { 'register:role': role, 'register:type': type } = await readAccountSettings(ctx)
  const waiting = type === 'approval' ? { introduction: arrival.introduction ?? null } : undefined
  return transaction(ctx.sql, async (tx) => {
    const id = await createUser(tx, { ...person, roles: [role], ...(waiting ? { waiting } : {}) })
    await prove(tx, id)
    await recordConsents(tx, id, arrival.agreed ?? [])
    if (arrival.invitation !== undefined) await recordInvitation(tx, arrival.invitation, id)
    if (waiting) return undefined
    const issued = await issueToken(tx, id, { device: arrival.device })
    await publishEvent(ctx, tx, 'user.created', { id, name: person.name })
    return issued
  })
}

export const founderPasswordFile = ({ dataDir }: Pick<Config, 'dataDir'>) => join(dataDir, 'founder-password')
export const founderPasswordPath = ({ config }: Pick<Context, 'config'>) => founderPasswordFile(config)

/** Returns whether anyone but the founder of a new site has an account. */
export async function hasMembers(sql: Db): Promise<boolean> {
  const [table] = await sql`select to_regclass('users') as present`
  if (table?.present === null) return false
  return (await sql`select from users limit 2`).length > 1
}

/**
 * Creates the founder of a new site. Returns the password only if the server generated one. Creates none while an import
 * is open, because a later run may import a user with the same id, who would get the founder's rights.
 */
export async function ensureFounder(ctx: Context): Promise<{ name: string; password?: string } | undefined> {
  if (await hasHolder(ctx.sql, 'founder')) return undefined
  const [open] = await ctx.sql<{ source: string }[]>`select source from imports where closed_at is null`
  if (open) {
    ctx.log.warn(open, 'no founder is created until the import is closed')
    return undefined
  }
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
    // Writes the password file before the commit, because a crash after the commit must not leave a founder
    // without a known password.
    const path = founderPasswordPath(ctx)
    await rm(path, { force: true })
    await writeFile(path, `${password}\n`, { mode: 0o600, flag: 'wx' })
    return { name, password }
  })
}

export function registrationRoutes(server: Server, ctx: Context) {
  const route = routesOn(server, ctx, { tag: 'Accounts' })

  route('POST /users', {
    operationId: 'register',
    summary: 'Register with a code that was sent to a phone or e-mail',
    access: 'public',
    cookie: 'never',
    body: Registration,
    reply: { 201: RegisteredToken, 202: Message },
    errors: [
      wrongCode,
      ...NAME_ERRORS,
      emailTaken,
      phoneTaken,
      sensitiveWords,
      ...REGISTRATION_RULE_ERRORS,
      ...CONTACT_ERRORS,
    ],
    handler: async ({ body, request, reply }) => {
      const issued = await register(ctx, body, deviceOf(request))
      return (
        issued ??
        reply.code(202).send(localizedMessage(request, accountWaiting.text.en, accountWaiting.text.zh))
      )
    },
  })
}

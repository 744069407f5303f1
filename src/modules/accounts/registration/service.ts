import { isUserName, normalizeEmail } from '#lib/identifiers.ts'
import { grams, lookalikeKey, nameKey } from '#lib/text.ts'
import { addRoles } from '#modules/abilities/index.ts'
import { publishEvent } from '#modules/notifications/index.ts'
import { readSettings } from '#modules/settings/index.ts'
import { type IssuedToken, issueToken } from '#modules/tokens/index.ts'
import { screenWords } from '#modules/words/index.ts'
import type { Context } from '#platform/context.ts'
import { type Db, onConstraint, type Tx, transaction } from '#platform/database'
import { invalidField } from '#platform/errors.ts'
import { type Device, Type } from '#platform/http'
import { addJob } from '#platform/jobs'
import { hashPassword } from '#platform/passwords.ts'
import { accountOf, checkCode, storedAccount, useCode } from '../codes/service.ts'
import { followFamous } from '../famous/queries.ts'
import { comeByInvitation } from '../invitations/service.ts'
import { checkContact, checkRegistrationMethod, type RegistrationContext } from '../registration/rules.ts'
import { insertRequest } from '../requests/service.ts'
import { nameReserved, nameTaken, USER_CONSTRAINTS } from '../schema.ts'
import { type NewUser, Registration } from './schema.ts'

/** Inserts a user with their counters and returns the id. */
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

/** Checks for another user with this name, ignoring case and width. */
export async function isNameTaken(sql: Db, name: string, exceptId = 0): Promise<boolean> {
  const [row] = await sql<[{ taken: boolean }]>`
    select exists (select from users where name_key = ${nameKey(name)} and id <> ${exceptId}) as taken`
  return row.taken
}

/** Checks that the user has exactly this name. */
export async function isNameOf(sql: Db, id: number, name: string): Promise<boolean> {
  const [row] = await sql<[{ same: boolean }]>`
    select exists (select from users where id = ${id} and name = ${name}) as same`
  return row.same
}

/**
 * Serializes the nodes that look for a founder until the transaction ends. Each node runs it once at startup.
 */
export async function lockFounding(tx: Db): Promise<void> {
  await tx`select pg_advisory_xact_lock(4127003)`
}

/**
 * Creates an account in the caller's transaction, without permission checks. Throws 422 on a field with a
 * taken value.
 */
export async function createUser(tx: Db, user: NewUser): Promise<number> {
  const id = await onConstraint(insertUser(tx, user), USER_CONSTRAINTS)
  await addRoles(tx, id, [...user.roles])
  if (user.waiting) {
    // The follow-up for new users runs on approval.
    await insertRequest(tx, id, user.name, user.waiting.introduction)
    return id
  }
  await followFamous(tx, id)
  // Triggers higher modules for every new user.
  await addJob(tx, 'user_created', { id })
  return id
}

/**
 * Throws 422 on `name` unless it is valid (conventions-32), not reserved and not taken by anyone but
 * `exceptId`. An unchanged own name passes, because clients send the whole profile back and the founder's
 * name is reserved.
 */
export async function checkUserName(ctx: Context, name: string, exceptId = 0): Promise<void> {
  if (exceptId !== 0 && (await isNameOf(ctx.sql, exceptId, name))) return
  if (!isUserName(name))
    throw invalidField('name', {
      en: 'A name has 2 to 12 characters, an ASCII one counting half; it begins with a letter, an underscore or a non-ASCII character and has no spaces or signs.',
      zh: '用户名长度为 2 至 12 个字（英文字母和数字算半个），以字母、下划线或非 ASCII 字符开头，不能包含空格和符号。',
    })
  const reserved = (await readSettings(ctx))['site:reserved-nickname'].split(',').map(lookalikeKey)
  if (reserved.includes(lookalikeKey(name))) throw nameReserved()
  if (await isNameTaken(ctx.sql, name, exceptId)) throw nameTaken()
}

/** Registers a user with a verified phone or e-mail, and signs them in. */
export async function register(ctx: Context, input: Registration, device: Device) {
  // Checked first, so that users do not fill in a form for a disabled method.
  const account = accountOf(input)
  const { invitation_code: invitation, introduction } = input
  const arrival: RegistrationContext = { door: account.field, invitation, introduction, device }
  await checkRegistrationMethod(ctx, arrival)
  await checkContact(ctx, account)
  const body = await screenWords(ctx, input, Registration, ['name', 'introduction'])
  await checkUserName(ctx, body.name)
  if (account.channel !== body.verifiable_type)
    throw invalidField('verifiable_type', {
      en: 'Use mail with an e-mail address and sms with a phone number.',
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

/** Validates and screens the name of a new user. Throws 422. */
export async function checkNewName(
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
 * Creates a user and signs them in. Undefined if they need approval. `prove` consumes their credential in the
 * same transaction.
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
  const { 'register:role': role, 'register:type': type } = await readSettings(ctx)
  const waiting = type === 'approval' ? { introduction: arrival.introduction ?? null } : undefined
  return transaction(ctx.sql, async (tx) => {
    const id = await createUser(tx, { ...person, roles: [role], ...(waiting ? { waiting } : {}) })
    await prove(tx, id)
    if (arrival.invitation !== undefined) await comeByInvitation(tx, arrival.invitation, id)
    if (waiting) return undefined
    const issued = await issueToken(tx, id, { device: arrival.device })
    await publishEvent(ctx, tx, 'user.created', { id, name: person.name })
    return issued
  })
}

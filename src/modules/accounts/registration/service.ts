import { isUserName } from '#lib/identifiers.ts'
import { lookalikeKey } from '#lib/text.ts'
import { addRoles } from '#modules/abilities/index.ts'
import { publishEvent } from '#modules/notifications/index.ts'
import { readSettings } from '#modules/settings/index.ts'
import { type IssuedToken, issueToken } from '#modules/tokens/index.ts'
import { screen } from '#modules/words/index.ts'
import type { Context } from '#platform/context.ts'
import { type Db, onConstraint, type Tx, transaction } from '#platform/database.ts'
import { invalidField } from '#platform/errors.ts'
import type { Device } from '#platform/http/device.ts'
import { addJob } from '#platform/jobs.ts'
import { hashPassword } from '#platform/passwords.ts'
import { Type } from '#platform/schema.ts'
import { accountOf, checkCode, storedAccount, useCode } from '../codes/service.ts'
import { type Arrival, checkContact, checkDoor } from '../doors/service.ts'
import { nameReserved, nameTaken, USER_CONSTRAINTS } from '../errors.ts'
import { followFamous } from '../famous/queries.ts'
import { comeByInvitation } from '../invitations/service.ts'
import { insertRequest } from '../requests/queries.ts'
import { insertUser, isNameOf, isNameTaken } from './queries.ts'
import { type NewUser, Registration } from './schema.ts'

/** Makes an account in the caller's transaction, whoever asks for it; 422 on the field that is taken. */
export async function createUser(tx: Db, user: NewUser): Promise<number> {
  const id = await onConstraint(insertUser(tx, user), USER_CONSTRAINTS)
  await addRoles(tx, id, [...user.roles])
  if (user.waiting) {
    // What a newcomer gets comes with the approval.
    await insertRequest(tx, id, user.name, user.waiting.introduction)
    return id
  }
  await followFamous(tx, id)
  // For modules above, which have something to do for every new person.
  await addJob(tx, 'user_created', { id })
  return id
}

/**
 * 422 on `name` unless it follows the rule (conventions-32), is not reserved, and nobody but `exceptId` has it. Their own name
 * passes as it is: clients send a whole profile back, and the founder's name is a reserved one.
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

/** Registers a person whose phone or e-mail a code has proved, and signs them in. */
export async function register(ctx: Context, input: Registration, device: Device) {
  // First of all: nobody fills in a form for a door that is closed.
  const account = accountOf(input)
  const { invitation_code: invitation, introduction } = input
  const arrival: Arrival = { door: account.field, invitation, introduction, device }
  await checkDoor(ctx, arrival)
  await checkContact(ctx, account)
  const body = await screen(ctx, input, Registration, ['name', 'introduction'])
  await checkUserName(ctx, body.name)
  if (account.channel !== body.verifiable_type)
    throw invalidField('verifiable_type', {
      en: 'Use mail with an e-mail address and sms with a phone number.',
      zh: '邮箱请使用 mail，手机号请使用 sms。',
    })
  await checkCode(ctx, account, 'register', body.verifiable_code)
  const password = body.password === undefined ? null : await hashPassword(body.password)
  const person = { name: body.name, password, verified: true, [account.field]: account.value }
  const issued = await registerPerson(ctx, { ...arrival, introduction: body.introduction }, person, (tx) =>
    useCode(ctx, tx, account, 'register', body.verifiable_code),
  )
  if (!issued) return undefined
  const { access_token, expires_in, refresh_ttl } = issued
  return { token: access_token, ttl: expires_in, refresh_ttl }
}

/** A name as it may be taken by somebody new who comes this way, its words screened; 422 otherwise. */
export async function checkNewName(ctx: Context, arrival: Arrival, wanted: string): Promise<string> {
  await checkDoor(ctx, arrival)
  const { name } = await screen(ctx, { name: wanted }, Type.Pick(Registration, ['name']), ['name'])
  await checkUserName(ctx, name)
  return name
}

/** Makes a person who came this way and signs them in, or answers undefined where they wait for an approval; `prove` uses up in the same transaction what they registered with. */
export async function registerPerson(
  ctx: Context,
  arrival: Arrival,
  person: Omit<NewUser, 'roles'>,
  prove: (tx: Tx, id: number) => PromiseLike<unknown>,
): Promise<IssuedToken | undefined> {
  await checkDoor(ctx, arrival)
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

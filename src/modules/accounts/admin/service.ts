import { isEmail } from '#lib/identifiers.ts'
import { isPhone, normalizePhone } from '#lib/phones.ts'
import {
  announceAbilities,
  findAbilitiesBeyond,
  forgetAbilities,
  hasAbility,
  isLastHolder,
  judgeRoles,
  mayDoMore,
  noSuchRole,
  replaceRoles,
} from '#modules/abilities/index.ts'
import { type Actor, recordAudit } from '#modules/audit/index.ts'
import { publishEvent } from '#modules/notifications/index.ts'
import { readSettings } from '#modules/settings/index.ts'
import { forgetTokens } from '#modules/tokens/index.ts'
import type { Context } from '#platform/context.ts'
import { onConstraint, type Tx, transaction } from '#platform/database.ts'
import { forbidden, invalidField } from '#platform/errors.ts'
import { hashPassword } from '#platform/passwords.ts'
import { alertOwner } from '../alerts/service.ts'
import { accountErased } from '../deletion/errors.ts'
import { isErased } from '../deletion/queries.ts'
import { USER_CONSTRAINTS } from '../errors.ts'
import { setDisabled, setPassword } from '../passwords/service.ts'
import { checkUserName, createUser } from '../registration/service.ts'
import { admit } from '../requests/service.ts'
import { factorOff } from '../second-factor/errors.ts'
import { takeOff } from '../second-factor/service.ts'
import { lastFounder, notOneself } from './errors.ts'
import { updateUser } from './queries.ts'
import type { ManagedUser, UserChanges, UserInput } from './schema.ts'

function checkContacts({
  email,
  phone,
}: {
  email?: string | null | undefined
  phone?: string | null | undefined
}) {
  if (email && !isEmail(email))
    throw invalidField('email', { en: 'This is not an e-mail address.', zh: '邮箱格式不正确。' })
  if (phone && !isPhone(phone))
    throw invalidField('phone', { en: 'This is not a mobile phone number.', zh: '手机号格式不正确。' })
}

const normalized = (phone: string | null | undefined) => (phone ? normalizePhone(phone) : phone)

/** Roles may be given by a holder of `admin:role:update`, and only such as allow no more than the giver may do. */
async function checkRoles(ctx: Context, actor: number, roles: string[] | undefined) {
  if (roles === undefined) return
  if (!(await hasAbility(ctx, actor, 'admin:role:update'))) throw forbidden()
  const { unknown, beyond } = await judgeRoles(ctx.sql, roles, actor)
  if (unknown[0] !== undefined) throw noSuchRole('roles', unknown[0])
  if (beyond.length > 0) throw mayDoMore()
}

/** Creates an account that can sign in at once; answers its id. */
export async function addUser(ctx: Context, actor: Actor, input: UserInput): Promise<number> {
  await checkRoles(ctx, actor.viewer.id, input.roles)
  await checkUserName(ctx, input.name)
  checkContacts(input)
  const password = await hashPassword(input.password)
  const roles = input.roles ?? [(await readSettings(ctx))['register:role']]
  const { name, email = null } = input
  const phone = normalized(input.phone) ?? null
  return transaction(ctx.sql, async (tx) => {
    const id = await createUser(tx, { name, password, email, phone, roles })
    await recordAudit(tx, actor, {
      action: 'users.create',
      subjectType: 'users',
      subjectId: id,
      after: { name, email, phone, roles },
    })
    await publishEvent(ctx, tx, 'user.created', { id, name })
    return id
  })
}

/** Ends the certification of an account whose badge is taken; a higher module knows how. */
export type EndCertification = (tx: Tx, userId: number, examiner: number) => Promise<void>

/** Changes an account. Nobody changes one that may do more than they may themselves (administration-5). */
export async function changeUser(
  ctx: Context,
  actor: Actor,
  before: ManagedUser,
  changes: UserChanges,
  endCertification: EndCertification,
): Promise<void> {
  const { id } = before
  const actorId = actor.viewer.id
  if (id !== actorId && (await findAbilitiesBeyond(ctx.sql, id, actorId)).length > 0) throw mayDoMore()
  if (await isErased(ctx.sql, id)) throw accountErased()
  if (changes.disabled === true && id === actorId) throw notOneself()
  await checkRoles(ctx, actorId, changes.roles)
  if (changes.name !== undefined) await checkUserName(ctx, changes.name, id)
  checkContacts(changes)
  const hashed = changes.password === undefined ? undefined : await hashPassword(changes.password)
  const phone = normalized(changes.phone)
  const revoked = await transaction(ctx.sql, async (tx) => {
    const stopsFounding = changes.disabled === true || changes.roles?.includes('founder') === false
    if (stopsFounding && (await isLastHolder(tx, 'founder', id))) throw lastFounder()
    if (changes.verified === null) await endCertification(tx, id, actorId)
    const verified = changes.verified && { icon: null, description: null, ...changes.verified }
    // Before the change, so that the old phone and e-mail are told of all of it.
    const tokens = hashed === undefined ? [] : ((await setPassword(ctx, tx, id, hashed)) ?? [])
    const contacts = { phone, email: changes.email }
    for (const field of ['phone', 'email'] as const)
      if (contacts[field] !== undefined && contacts[field] !== before[field])
        await alertOwner(ctx, tx, id, field)
    await onConstraint(updateUser(tx, id, { ...changes, phone, verified }), USER_CONSTRAINTS)
    if (changes.roles) {
      await replaceRoles(tx, id, changes.roles)
      announceAbilities(ctx, tx, id)
    }
    // Enabling an account that waits for an approval is one.
    if (changes.disabled === false) await admit(ctx, tx, { userId: id }, { decidedBy: actorId, remark: null })
    if (changes.disabled !== undefined)
      tokens.push(...((await setDisabled(ctx, tx, id, changes.disabled)) ?? []))
    const { password, ...told } = changes
    await recordAudit(tx, actor, {
      action: 'users.update',
      subjectType: 'users',
      subjectId: id,
      before: Object.fromEntries(
        Object.keys(told).map((name) => [name, before[name as keyof typeof before] as unknown]),
      ),
      after: { ...told, ...(password === undefined ? {} : { password: 'changed' }) },
    })
    return tokens
  })
  forgetTokens(ctx, revoked)
  if (changes.roles) forgetAbilities(ctx, id)
}

/** Takes the second factor off an account, not of one that may do more than who does it (rights-6). */
export async function takeFactorOff(ctx: Context, actor: Actor, id: number): Promise<void> {
  const actorId = actor.viewer.id
  if (id !== actorId && (await findAbilitiesBeyond(ctx.sql, id, actorId)).length > 0) throw mayDoMore()
  await transaction(ctx.sql, async (tx) => {
    if (!(await takeOff(ctx, tx, id))) throw factorOff()
    await recordAudit(tx, actor, {
      action: 'users.second-factor-off',
      subjectType: 'users',
      subjectId: id,
    })
  })
}

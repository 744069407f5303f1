import { isEmail, isPhone, normalizePhone } from '#lib/identifiers.ts'
import {
  beyondOwnAbilities,
  findExcessAbilities,
  findRoleProblems,
  hasAbility,
  invalidateAbilities,
  isLastHolder,
  noSuchRole,
  replaceRoles,
} from '#modules/abilities/index.ts'
import { type Actor, recordAudit } from '#modules/audit/index.ts'
import { alertAccountOwner } from '#modules/mail/index.ts'
import { invalidateSenderName } from '#modules/notifications/index.ts'
import { requireNotErased, USER_CONSTRAINTS } from '#modules/users/index.ts'
import { publishEvent } from '#modules/webhooks/index.ts'
import type { Context } from '#platform/context.ts'
import { onConstraint, type Tx, transaction } from '#platform/database'
import { forbidden, invalidField } from '#platform/errors.ts'
import { hashPassword } from '../identity/hashing.ts'
import { type DeleteLinks, setAccountDisabled, setPassword } from '../identity/passwords.ts'
import { checkUserName, createUser } from '../identity/registration.ts'
import { factorOff } from '../identity/schema.ts'
import { removeSecondFactor } from '../identity/second-factor.ts'
import { admit } from '../requests.ts'
import { readAccountSettings } from '../settings.ts'
import {
  lastFounder,
  type ManagedUser,
  notOneself,
  type UserChanges,
  type UserInput,
  updateUser,
} from './queries.ts'

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

async function checkRoles(ctx: Context, actor: number, roles: string[] | undefined) {
  if (roles === undefined) return
  if (!(await hasAbility(ctx, actor, 'admin:role:update'))) throw forbidden()
  const { unknown, beyond } = await findRoleProblems(ctx.sql, roles, actor)
  if (unknown[0] !== undefined) throw noSuchRole('roles', unknown[0])
  if (beyond.length > 0) throw beyondOwnAbilities()
}

export async function addUser(ctx: Context, actor: Actor, input: UserInput): Promise<number> {
  await checkRoles(ctx, actor.viewer.id, input.roles)
  await checkUserName(ctx, input.name)
  checkContacts(input)
  const password = await hashPassword(input.password)
  const roles = input.roles ?? [(await readAccountSettings(ctx))['register:role']]
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

/** Revokes a user's certification when an administrator removes the badge. Injected by `certifications`. */
export type RevokeCertification = (tx: Tx, userId: number, examiner: number) => Promise<void>

/** Callbacks that higher modules inject, because this module must not import higher modules. */
export type Endings = { revokeCertification: RevokeCertification; deleteLinks: DeleteLinks }

/** Throws 403 if the account has abilities that the actor lacks (administration-5). */
export async function changeUser(
  ctx: Context,
  actor: Actor,
  before: ManagedUser,
  changes: UserChanges,
  { revokeCertification, deleteLinks }: Endings,
): Promise<void> {
  const { id } = before
  const actorId = actor.viewer.id
  if (id !== actorId && (await findExcessAbilities(ctx.sql, id, actorId)).length > 0)
    throw beyondOwnAbilities()
  if (changes.disabled === true && id === actorId) throw notOneself()
  await checkRoles(ctx, actorId, changes.roles)
  if (changes.name !== undefined) await checkUserName(ctx, changes.name, id)
  checkContacts(changes)
  const hashed = changes.password === undefined ? undefined : await hashPassword(changes.password)
  const phone = normalized(changes.phone)
  await transaction(ctx.sql, async (tx) => {
    await requireNotErased(tx, id)
    const stopsFounding = changes.disabled === true || changes.roles?.includes('founder') === false
    if (stopsFounding && (await isLastHolder(tx, 'founder', id))) throw lastFounder()
    if (changes.verified === null) await revokeCertification(tx, id, actorId)
    const verified = changes.verified && { icon: null, description: null, ...changes.verified }
    if (hashed !== undefined) await setPassword(ctx, tx, id, hashed)
    if (changes.unlink_accounts) await deleteLinks(ctx, tx, id)
    const contacts = { phone, email: changes.email }
    // Alerts the account owner before the contacts change, so that the alert reaches the old phone and
    // e-mail.
    for (const field of ['phone', 'email'] as const)
      if (contacts[field] !== undefined && contacts[field] !== before[field])
        await alertAccountOwner(ctx, tx, id, field)
    await onConstraint(updateUser(tx, id, { ...changes, phone, verified }), USER_CONSTRAINTS)
    if (changes.name !== undefined) await invalidateSenderName(ctx, tx, id)
    if (changes.roles) {
      await replaceRoles(tx, id, changes.roles)
      await invalidateAbilities(ctx, tx, id)
    }
    // Enabling an account approves its pending registration.
    if (changes.disabled === false) await admit(ctx, tx, { userId: id }, { decidedBy: actorId, remark: null })
    if (changes.disabled !== undefined) await setAccountDisabled(ctx, tx, id, changes.disabled)
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
  })
}

/** Enables an account on behalf of the operator, and approves its pending registration. */
export async function enableAccount(ctx: Context, tx: Tx, id: number): Promise<void> {
  await requireNotErased(tx, id)
  await admit(ctx, tx, { userId: id }, { decidedBy: 0, remark: null })
  await setAccountDisabled(ctx, tx, id, false)
}

/** Throws 403 if the account has abilities that the actor lacks (rights-6). */
export async function removeSecondFactorOf(ctx: Context, actor: Actor, id: number): Promise<void> {
  const actorId = actor.viewer.id
  if (id !== actorId && (await findExcessAbilities(ctx.sql, id, actorId)).length > 0)
    throw beyondOwnAbilities()
  await transaction(ctx.sql, async (tx) => {
    if (!(await removeSecondFactor(ctx, tx, id))) throw factorOff()
    await recordAudit(tx, actor, {
      action: 'users.second-factor-off',
      subjectType: 'users',
      subjectId: id,
    })
  })
}

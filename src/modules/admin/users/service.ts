import type { FastifyRequest } from 'fastify'
import { isEmail, isPhone, normalizePhone } from '#lib/identifiers.ts'
import { announceAbilities, forgetAbilities, hasAbility } from '#modules/abilities/index.ts'
import {
  checkUserName,
  createUser,
  setDisabled,
  setPassword,
  USER_CONSTRAINTS,
} from '#modules/accounts/index.ts'
import { endCertification } from '#modules/certifications/index.ts'
import { publishEvent } from '#modules/notifications/index.ts'
import { readSettings } from '#modules/settings/index.ts'
import { forgetTokens } from '#modules/tokens/index.ts'
import type { Context } from '#platform/context.ts'
import { onConstraint, transaction } from '#platform/database.ts'
import { apiError, forbidden, invalidField, notFound } from '#platform/errors.ts'
import { viewerOf } from '#platform/http.ts'
import { hashPassword } from '#platform/passwords.ts'
import { recordAudit } from '../audit/queries.ts'
import { mayDoMore } from '../errors.ts'
import {
  findAbilitiesBeyond,
  findUser,
  isLastHolder,
  judgeRoles,
  replaceRoles,
  updateUser,
} from './queries.ts'
import type { UserChanges, UserInput } from './schema.ts'

const lastFounder = apiError(
  422,
  'last_founder',
  'This is the last founder: make another one first.',
  '这是最后一位创始人，请先指定其他创始人。',
)
const notOneself = apiError(422, 'not_oneself', 'You cannot disable yourself.', '不能禁用自己。')

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
  if (unknown.length > 0)
    throw invalidField('roles', { en: `There is no role ${unknown[0]}.`, zh: `角色 ${unknown[0]} 不存在。` })
  if (beyond.length > 0) throw mayDoMore()
}

/** Creates an account that can sign in at once; answers its id. */
export async function addUser(ctx: Context, request: FastifyRequest, input: UserInput): Promise<number> {
  const actor = viewerOf(request).id
  await checkRoles(ctx, actor, input.roles)
  await checkUserName(ctx, input.name)
  checkContacts(input)
  const password = await hashPassword(input.password)
  const roles = input.roles ?? [(await readSettings(ctx))['register:role']]
  const { name, email = null } = input
  const phone = normalized(input.phone) ?? null
  return transaction(ctx.sql, async (tx) => {
    const id = await createUser(tx, { name, password, email, phone, roles })
    await recordAudit(tx, request, {
      action: 'users.create',
      subjectType: 'users',
      subjectId: id,
      after: { name, email, phone, roles },
    })
    await publishEvent(ctx, tx, 'user.created', { id, name })
    return id
  })
}

/** Changes an account. Nobody changes one that may do more than they may themselves. */
export async function changeUser(
  ctx: Context,
  request: FastifyRequest,
  id: number,
  changes: UserChanges,
): Promise<void> {
  const actor = viewerOf(request).id
  const before = await findUser(ctx.sql, id)
  if (!before) throw notFound()
  if (id !== actor && (await findAbilitiesBeyond(ctx.sql, id, actor)).length > 0) throw mayDoMore()
  if (changes.disabled === true && id === actor) throw notOneself()
  await checkRoles(ctx, actor, changes.roles)
  if (changes.name !== undefined) await checkUserName(ctx, changes.name, id)
  checkContacts(changes)
  const hashed = changes.password === undefined ? undefined : await hashPassword(changes.password)
  const phone = normalized(changes.phone)
  const revoked = await transaction(ctx.sql, async (tx) => {
    const stopsFounding = changes.disabled === true || changes.roles?.includes('founder') === false
    if (stopsFounding && (await isLastHolder(tx, 'founder', id))) throw lastFounder()
    if (changes.verified === null) await endCertification(tx, id, actor)
    const verified = changes.verified && { icon: null, description: null, ...changes.verified }
    await onConstraint(updateUser(tx, id, { ...changes, phone, verified }), USER_CONSTRAINTS)
    if (changes.roles) {
      await replaceRoles(tx, id, changes.roles)
      await announceAbilities(ctx, tx, id)
    }
    const tokens = hashed === undefined ? [] : ((await setPassword(ctx, tx, id, hashed)) ?? [])
    if (changes.disabled !== undefined)
      tokens.push(...((await setDisabled(ctx, tx, id, changes.disabled)) ?? []))
    const { password, ...told } = changes
    await recordAudit(tx, request, {
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

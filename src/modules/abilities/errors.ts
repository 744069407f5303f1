import { apiError, invalidField } from '#platform/errors.ts'

/** Nobody hands out, or manages somebody who holds, what they may not do themselves (administration-5). */
export const mayDoMore = apiError(
  403,
  'may_do_more',
  'This concerns abilities that you do not hold yourself.',
  '该操作涉及你未拥有的权限。',
)

/** On the setting that names a role, or the abilities of the role that it names. */
export const newcomersAreMembers = (field: string) =>
  invalidField(field, {
    en: 'A role that opens the administration cannot be given to everybody who registers.',
    zh: '具有后台管理权限的角色不能作为注册默认角色。',
  })

/** On a field that names roles. */
export const noSuchRole = (field: string, role: string) =>
  invalidField(field, { en: `There is no role ${role}.`, zh: `角色 ${role} 不存在。` })

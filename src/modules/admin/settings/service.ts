import { isUser } from '#modules/accounts/index.ts'
import type { Settings } from '#modules/settings/index.ts'
import type { Db } from '#platform/database.ts'
import { invalidField } from '#platform/errors.ts'
import { mayDoMore, newcomersAreMembers } from '../errors.ts'
import { findRoleNamed, opensAdministration } from '../roles/queries.ts'
import { judgeRoles } from '../users/queries.ts'

/**
 * Settings that name something must name what there is. The role of newcomers is handed out like any other, and never
 * opens the administration: who may change settings could make everybody an administrator with it.
 */
export async function checkSettings(sql: Db, actor: number, changes: Partial<Settings>): Promise<void> {
  const { 'register:role': role, 'im:helper-user': helper } = changes
  if (role !== undefined) {
    const { unknown, beyond } = await judgeRoles(sql, [role], actor)
    if (unknown.length > 0)
      throw invalidField('register:role', { en: `There is no role ${role}.`, zh: `角色 ${role} 不存在。` })
    if (beyond.length > 0) throw mayDoMore()
    if (opensAdministration((await findRoleNamed(sql, role))?.abilities ?? []))
      throw newcomersAreMembers('register:role')
  }
  if (helper !== undefined && helper !== null && !(await isUser(sql, helper)))
    throw invalidField('im:helper-user', { en: 'There is no such person.', zh: '用户不存在。' })
}

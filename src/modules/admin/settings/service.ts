import { isUser } from '#modules/accounts/index.ts'
import type { Settings } from '#modules/settings/index.ts'
import type { Db } from '#platform/database.ts'
import { invalidField } from '#platform/errors.ts'
import { mayDoMore } from '../errors.ts'
import { findRoleNamed } from '../roles/queries.ts'
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
    const abilities = (await findRoleNamed(sql, role))?.abilities ?? []
    if (abilities.some((ability) => ability.startsWith('admin')))
      throw invalidField('register:role', {
        en: 'A role that opens the administration cannot be given to everybody who registers.',
        zh: '具有后台管理权限的角色不能作为注册默认角色。',
      })
  }
  if (helper !== undefined && helper !== null && !(await isUser(sql, helper)))
    throw invalidField('im:helper-user', { en: 'There is no such person.', zh: '用户不存在。' })
}

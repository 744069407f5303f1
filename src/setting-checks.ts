import {
  findRoleNamed,
  judgeRoles,
  mayDoMore,
  newcomersAreMembers,
  noSuchRole,
  opensAdministration,
} from '#modules/abilities/index.ts'
import { isUser } from '#modules/accounts/index.ts'
import type { SettingChecks } from '#modules/settings/index.ts'
import { invalidField } from '#platform/errors.ts'

/**
 * Settings that name something must name what there is. The role of newcomers is handed out like any other, and never
 * opens the administration: who may change settings could make everybody an administrator with it.
 */
export const SETTING_CHECKS: SettingChecks = {
  errors: [mayDoMore],
  async check(sql, actor, { 'register:role': role, 'im:helper-user': helper }) {
    if (role !== undefined) {
      const { unknown, beyond } = await judgeRoles(sql, [role], actor)
      if (unknown.length > 0) throw noSuchRole('register:role', role)
      if (beyond.length > 0) throw mayDoMore()
      if (opensAdministration((await findRoleNamed(sql, role))?.abilities ?? []))
        throw newcomersAreMembers('register:role')
    }
    if (helper !== undefined && helper !== null && !(await isUser(sql, helper)))
      throw invalidField('im:helper-user', { en: 'There is no such person.', zh: '用户不存在。' })
  },
}

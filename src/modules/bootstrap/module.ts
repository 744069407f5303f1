import type { SettingChecks, SettingsOf } from '#modules/settings/index.ts'
import { isUser } from '#modules/users/index.ts'
import { invalidField } from '#platform/errors.ts'
import type { Module } from '../../module.ts'
import { bootstrapRoutes } from './routes.ts'
import { BOOTSTRAP_SETTINGS } from './settings.ts'

export const helperSettings: SettingChecks<SettingsOf<typeof BOOTSTRAP_SETTINGS>> = {
  errors: [],
  async check({ sql }, _actor, { 'im:helper-user': helper }) {
    if (helper !== undefined && helper !== null && !(await isUser(sql, helper)))
      throw invalidField('im:helper-user', { en: 'This user does not exist.', zh: '用户不存在。' })
  },
}

export const module: Module = {
  settings: BOOTSTRAP_SETTINGS,
  settingChecks: helperSettings,
  routes: (site) => [
    bootstrapRoutes(
      site.service('findBootAdvertisements'),
      site.service('uploadLimits'),
      site.service('readSitePages'),
    ),
  ],
}

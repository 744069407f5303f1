import { creationSeries, type Statistics } from '#contracts/statistics.ts'
import {
  beyondOwnAbilities,
  defaultRoleTooPowerful,
  findRoleNamed,
  findRoleProblems,
  hasAbility,
  includesAdministration,
  noSuchRole,
} from '#modules/abilities/index.ts'
import type { SettingChecks } from '#modules/settings/index.ts'
import { isUser, requireNotBlocked } from '#modules/users/index.ts'
import { apiError } from '#platform/errors.ts'
import type { Module } from '../../module.ts'
import { adminUserRoutes } from './admin/routes.ts'
import { deletionRoutes } from './deletion/routes.ts'
import { deletionSchedules, deletionTasks } from './deletion/service.ts'
import { codeRoutes, codeSchedules, codeTasks, tellsAccount } from './identity/codes.ts'
import { checkPaymentPassword, passwordRoutes } from './identity/passwords.ts'
import { registrationRoutes } from './identity/registration.ts'
import { PAYMENT_PASSWORD_ERRORS } from './identity/schema.ts'
import { secondFactorRoutes } from './identity/second-factor.ts'
import { adminSessionRoutes, sessionRoutes } from './identity/sessions.ts'
import { signInRoutes } from './identity/sign-in.ts'
import { adminInvitationRoutes, invitationRoutes } from './invitations/routes.ts'
import { accountPersonal } from './personal.ts'
import { profileRoutes } from './profile/routes.ts'
import { adminRequestRoutes } from './requests.ts'
import { ACCOUNT_SETTINGS, type AccountSettings, readAccountSettings } from './settings.ts'

const moneySettings = apiError(
  403,
  'money_settings',
  'Only administrators who may change balances (admin: currency) can change settings of points and wallets.',
  '只有可修改余额的管理员（权限 admin: currency）才能更改积分和钱包设置。',
)

const securitySettings = apiError(
  403,
  'security_settings',
  'Only administrators who may change the protection of accounts (admin:site:security) can change this setting.',
  '只有可修改账号安全设置的管理员（权限 admin:site:security）才能更改此设置。',
)

/**
 * Rejects a default role with administration access or with abilities that the actor lacks, and changes of money and
 * security settings by an actor without their abilities.
 */
const checkedSettings: SettingChecks<AccountSettings> = {
  errors: [beyondOwnAbilities, moneySettings, securitySettings],
  async check(ctx, actor, { 'register:role': role }, _current, guards) {
    const { sql } = ctx
    if (guards.has('money') && !(await hasAbility(ctx, actor, 'admin: currency'))) throw moneySettings()
    if (guards.has('security') && !(await hasAbility(ctx, actor, 'admin:site:security')))
      throw securitySettings()
    if (role === undefined) return
    const { unknown, beyond } = await findRoleProblems(sql, [role], actor)
    if (unknown.length > 0) throw noSuchRole('register:role', role)
    if (beyond.length > 0) throw beyondOwnAbilities()
    if (includesAdministration((await findRoleNamed(sql, role))?.abilities ?? []))
      throw defaultRoleTooPowerful('register:role')
  },
}

const accountStatistics: Statistics = {
  queues: [
    {
      name: 'registrations',
      ability: 'admin: registrations',
      waiting: (sql) => sql`
        select created_at as since from registration_requests where state = 'waiting' order by id`,
    },
  ],
  series: [creationSeries('sign-ups', 'users', 'admin:user:show')],
}

export const module: Module = {
  tags: {
    Accounts: { place: 2, about: 'Registration, sign-in, tokens, codes and passwords.' },
    Me: { place: 3, about: 'The account of the signed-in user.' },
    'Admin: people': { place: 29, about: 'Accounts, roles, recommended and famous people, certifications.' },
  },
  settings: ACCOUNT_SETTINGS,
  routes: (site) => [
    signInRoutes,
    codeRoutes,
    registrationRoutes,
    invitationRoutes,
    passwordRoutes(site.service('deleteLinks')),
    profileRoutes,
    deletionRoutes,
    sessionRoutes,
    secondFactorRoutes,
    adminUserRoutes({
      revokeCertification: site.service('revokeCertification'),
      deleteLinks: site.service('deleteLinks'),
    }),
    adminSessionRoutes,
    adminInvitationRoutes,
    adminRequestRoutes,
  ],
  personalData: { place: 1, tables: accountPersonal },
  statistics: { place: 1, ...accountStatistics },
  tasks: (site) => [codeTasks, deletionTasks(site.erasers)],
  schedules: [...codeSchedules, ...deletionSchedules],
  offers: {
    tellsAccount,
    findNewcomersRole: async (ctx) => (await readAccountSettings(ctx))['register:role'],
    people: {
      checkPassword: checkPaymentPassword,
      passwordErrors: PAYMENT_PASSWORD_ERRORS,
      isUser,
      requireNotBlocked,
    },
  },
  settingChecks: checkedSettings,
}

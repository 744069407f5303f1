import type { Searchable } from '#contracts/search.ts'
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
import { apiError } from '#platform/errors.ts'
import type { Module } from '../../module.ts'
import { adminUserRoutes } from './admin/routes.ts'
import { adminAppealRoutes, appealRoutes } from './appeals/routes.ts'
import { accountCounters } from './counters.ts'
import { deletionRoutes } from './deletion/routes.ts'
import { deletionSchedules, deletionTasks } from './deletion/service.ts'
import { adminRecommendationRoutes, discoveryRoutes } from './discovery/routes.ts'
import { archiveBytesRoutes, exportRoutes } from './exports/routes.ts'
import { exportSchedules, exportTasks, forgetExports } from './exports/service.ts'
import { adminFamousRoutes } from './famous.ts'
import { codeRoutes, codeSchedules, codeTasks } from './identity/codes.ts'
import { checkPaymentPassword, passwordRoutes } from './identity/passwords.ts'
import { registrationRoutes } from './identity/registration.ts'
import { PAYMENT_PASSWORD_ERRORS } from './identity/schema.ts'
import { secondFactorRoutes } from './identity/second-factor.ts'
import { adminSessionRoutes, sessionRoutes } from './identity/sessions.ts'
import { signInRoutes } from './identity/sign-in.ts'
import { adminInvitationRoutes, invitationRoutes } from './invitations/routes.ts'
import { mailProbe } from './mail-probe.ts'
import { adminMailRoutes } from './mails/routes.ts'
import { eraseMentions, mentionRoutes } from './mentions.ts'
import { messageTasks, receiptTasks } from './messages.ts'
import { accountPersonal } from './personal.ts'
import { profileRoutes } from './profile/routes.ts'
import { contactRuleRoutes } from './relations/contact-rules.ts'
import { mutedWordRoutes } from './relations/muted-words.ts'
import { muteRoutes, muteSchedules, muteTasks } from './relations/mutes.ts'
import { privateAccountRoutes } from './relations/private-accounts.ts'
import { followSchedules, followTasks } from './relations/queries.ts'
import { blockRoutes, followRoutes } from './relations/routes.ts'
import { unsettledFollows, withheldSchedules, withheldTasks } from './relations/withheld.ts'
import { adminRequestRoutes } from './requests.ts'
import { adminSanctionRoutes, sanctionRoutes } from './sanctions/routes.ts'
import { UserView } from './schema.ts'
import { ACCOUNT_SETTINGS, type AccountSettings, readAccountSettings } from './settings.ts'
import { isUser, listUserIds, requireNotBlocked } from './users/queries.ts'
import { userRoutes } from './users/routes.ts'
import { userPage } from './users/view.ts'

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
export const checkedSettings: SettingChecks<AccountSettings> = {
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

export const accountStatistics: Statistics = {
  queues: [
    {
      name: 'registrations',
      ability: 'admin: registrations',
      waiting: (sql) => sql`
        select created_at as since from registration_requests where state = 'waiting' order by id`,
    },
    {
      name: 'appeals',
      ability: 'admin: sanctions',
      waiting: (sql) => sql`select created_at as since from appeals where state = 'pending' order by id`,
    },
  ],
  series: [creationSeries('sign-ups', 'users', 'admin:user:show')],
}

export const userSearch: Searchable = {
  type: 'users',
  item: UserView,
  find: async (ctx, { q, after, limit, viewerId }) =>
    userPage(
      ctx,
      await listUserIds(ctx.sql, { search: q, since: after, order: 'desc', limit, viewerId }),
      viewerId,
    ),
}

export const module: Module = {
  settings: ACCOUNT_SETTINGS,
  routes: (site) => [
    signInRoutes,
    codeRoutes,
    registrationRoutes,
    invitationRoutes,
    passwordRoutes(site.service('deleteLinks')),
    profileRoutes,
    deletionRoutes,
    exportRoutes,
    sessionRoutes,
    secondFactorRoutes,
    userRoutes,
    followRoutes,
    blockRoutes,
    muteRoutes,
    mutedWordRoutes,
    contactRuleRoutes,
    privateAccountRoutes,
    sanctionRoutes,
    appealRoutes,
    discoveryRoutes,
    adminRecommendationRoutes,
    adminFamousRoutes,
    adminUserRoutes({
      revokeCertification: site.service('revokeCertification'),
      deleteLinks: site.service('deleteLinks'),
    }),
    adminSessionRoutes,
    adminInvitationRoutes,
    adminRequestRoutes,
    adminMailRoutes,
    adminSanctionRoutes,
    adminAppealRoutes,
    mentionRoutes,
  ],
  personalData: { place: 1, tables: accountPersonal },
  statistics: { place: 1, ...accountStatistics },
  search: { place: 1, ...userSearch },
  counters: [unsettledFollows, ...accountCounters],
  async erase(tx, userId) {
    await forgetExports(tx, userId)
    await eraseMentions(tx, userId)
  },
  tasks: (site) => [
    codeTasks,
    deletionTasks(site.erasers),
    exportTasks(site.personalData),
    followTasks,
    muteTasks,
    withheldTasks,
    messageTasks,
    receiptTasks,
  ],
  probes: [mailProbe],
  schedules: [
    ...codeSchedules,
    ...deletionSchedules,
    ...exportSchedules,
    ...followSchedules,
    ...muteSchedules,
    ...withheldSchedules,
  ],
  pools: [
    { concurrency: 1, names: ['make_export'] },
    { concurrency: 4, names: ['send_code', 'alert_owner', 'send_message', 'send_letter'] },
  ],
  offers: {
    findNewcomersRole: async (ctx) => (await readAccountSettings(ctx))['register:role'],
    people: {
      checkPassword: checkPaymentPassword,
      passwordErrors: PAYMENT_PASSWORD_ERRORS,
      isUser,
      requireNotBlocked,
    },
  },
  settingChecks: checkedSettings,
  outerRoutes: () => [archiveBytesRoutes],
}

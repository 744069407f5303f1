import type { Searchable } from '#contracts/search.ts'
import { creationSeries, type Statistics } from '#contracts/statistics.ts'
import { isEmail, isPhoneCountry } from '#lib/identifiers.ts'
import {
  beyondOwnAbilities,
  defaultRoleTooPowerful,
  findRoleNamed,
  findRoleProblems,
  hasAbility,
  includesAdministration,
  noSuchRole,
} from '#modules/abilities/index.ts'
import { isWebLink, type SettingChecks, type SettingName, type Settings } from '#modules/settings/index.ts'
import type { Db } from '#platform/database'
import { apiError, invalidField } from '#platform/errors.ts'
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
 * Settings that protect accounts and private texts, decide who gets an account or which name, choose where links of the
 * site and of mails lead, or delete what members wrote for ever.
 */
const SECURITY: ReadonlySet<string> = new Set<SettingName>([
  'account:deletion-days',
  'account:second-factor-for-administrators',
  'account:sign-in-notices',
  'chat:keep-days',
  'chat:push-text',
  'notifications:push-text',
  'pay-validate-user-password',
  'register:email-allowed',
  'register:email-blocked',
  'register:invitation-days',
  'register:invitation-uses',
  'register:invitations-by-everybody',
  'register:method',
  'register:phone-countries',
  'register:role',
  'register:type',
  'site:about-url',
  'site:reserved-nickname',
  'site:web-links',
  'sms:daily',
  'sms:daily-per-address',
  'sms:daily-per-country',
  'sms:daily-per-number',
  'sms:templates',
  'users:tell-known-accounts',
])

/** Matches all settings of points, wallets and check-ins, because some can create points or money. */
const isAboutMoney = (name: string) => /^(currency|wallet|checkin):/.test(name)

const emailForm = (entry: string) => ({
  en: `${entry} is neither an e-mail address nor a domain.`,
  zh: `${entry} 既不是邮箱地址，也不是域名。`,
})
const isMailEntry = (entry: string) => isEmail(entry.includes('@') ? entry : `a@${entry}`)

const FORMS: [
  'register:email-allowed' | 'register:email-blocked' | 'register:phone-countries' | 'site:web-links',
  (entry: string) => boolean,
  (entry: string) => { en: string; zh: string },
][] = [
  ['register:email-allowed', isMailEntry, emailForm],
  ['register:email-blocked', isMailEntry, emailForm],
  [
    'site:web-links',
    isWebLink,
    (entry) => ({
      en: `${entry} is not a link such as feeds https://app.example/feeds/{id}.`,
      zh: `${entry} 不是有效的链接（如 feeds https://app.example/feeds/{id}）。`,
    }),
  ],
  [
    'register:phone-countries',
    (entry) => entry === '*' || isPhoneCountry(entry),
    (entry) => ({
      en: `${entry} is neither a country code such as CN nor *.`,
      zh: `${entry} 既不是国家代码（如 CN），也不是 *。`,
    }),
  ],
]

async function isTimeZone(sql: Db, name: string): Promise<boolean> {
  const [found] = await sql`select from pg_timezone_names where name = ${name}`
  return found !== undefined
}

const differs = (name: SettingName, changes: Partial<Settings>, current: Settings) =>
  JSON.stringify(changes[name]) !== JSON.stringify(current[name])

/**
 * Rejects invalid values, a default role with administration access or with abilities that the actor lacks, and
 * changes of money and security settings by an actor without their abilities. Unchanged settings pass, because forms
 * send all settings.
 */
export const checkedSettings: SettingChecks = {
  errors: [beyondOwnAbilities, moneySettings, securitySettings],
  async check(ctx, actor, changes, current) {
    const { sql } = ctx
    const { 'register:role': role } = changes
    const changed = (Object.keys(changes) as SettingName[]).filter((name) => differs(name, changes, current))
    if (changed.some(isAboutMoney) && !(await hasAbility(ctx, actor, 'admin: currency')))
      throw moneySettings()
    if (changed.some((name) => SECURITY.has(name)) && !(await hasAbility(ctx, actor, 'admin:site:security')))
      throw securitySettings()
    if (role !== undefined) {
      const { unknown, beyond } = await findRoleProblems(sql, [role], actor)
      if (unknown.length > 0) throw noSuchRole('register:role', role)
      if (beyond.length > 0) throw beyondOwnAbilities()
      if (includesAdministration((await findRoleNamed(sql, role))?.abilities ?? []))
        throw defaultRoleTooPowerful('register:role')
    }
    for (const [name, isGood, text] of FORMS)
      for (const entry of changes[name] ?? []) if (!isGood(entry)) throw invalidField(name, text(entry))
    const zone = changes['site:time-zone']
    if (zone !== undefined && !(await isTimeZone(sql, zone)))
      throw invalidField('site:time-zone', {
        en: 'This time zone does not exist. An example is Asia/Shanghai.',
        zh: '时区不存在（示例：Asia/Shanghai）。',
      })
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

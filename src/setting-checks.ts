import { isEmail } from '#lib/identifiers.ts'
import { isPhoneCountry } from '#lib/phones.ts'
import {
  findRoleNamed,
  hasAbility,
  judgeRoles,
  mayDoMore,
  newcomersAreMembers,
  noSuchRole,
  opensAdministration,
} from '#modules/abilities/index.ts'
import { isUser } from '#modules/accounts/index.ts'
import { isWebLink, type SettingChecks, type SettingName, type Settings } from '#modules/settings/index.ts'
import { apiError, invalidField } from '#platform/errors.ts'

const moneySettings = apiError(
  403,
  'money_settings',
  'Settings of points and wallets are for who may change balances (admin: currency).',
  '积分与钱包设置仅限可修改余额者（admin: currency）。',
)

/** Ratios, limits and gifts: a changed one makes points or money of nothing. */
const isAboutMoney = (name: string) => /^(currency|wallet|checkin):/.test(name)

const emailForm = (entry: string) => ({
  en: `${entry} is neither an e-mail address nor a domain.`,
  zh: `${entry} 不是邮箱地址或域名。`,
})
const isMailEntry = (entry: string) => isEmail(entry.includes('@') ? entry : `a@${entry}`)

/** What each entry of a list has to be. */
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
      en: `${entry} is no link, such as feeds https://app.example/feeds/{id}.`,
      zh: `${entry} 不是有效的链接（如 feeds https://app.example/feeds/{id}）。`,
    }),
  ],
  [
    'register:phone-countries',
    (entry) => entry === '*' || isPhoneCountry(entry),
    (entry) => ({
      en: `${entry} is no country, such as CN, nor *.`,
      zh: `${entry} 不是国家代码（如 CN）或 *。`,
    }),
  ],
]

const differs = (name: SettingName, changes: Partial<Settings>, current: Settings) =>
  JSON.stringify(changes[name]) !== JSON.stringify(current[name])

/**
 * Settings that name something must name what there is. The role of newcomers is handed out like any other, and never
 * opens the administration: who may change settings could make everybody an administrator with it. What makes points needs
 * the ability that changes balances; the values in force pass, because a form sends all of them.
 */
export const SETTING_CHECKS: SettingChecks = {
  errors: [mayDoMore, moneySettings],
  async check(ctx, actor, changes, current) {
    const { sql } = ctx
    const { 'register:role': role, 'im:helper-user': helper } = changes
    const money = (Object.keys(changes) as SettingName[]).filter(isAboutMoney)
    if (
      money.some((name) => differs(name, changes, current)) &&
      !(await hasAbility(ctx, actor, 'admin: currency'))
    )
      throw moneySettings()
    if (role !== undefined) {
      const { unknown, beyond } = await judgeRoles(sql, [role], actor)
      if (unknown.length > 0) throw noSuchRole('register:role', role)
      if (beyond.length > 0) throw mayDoMore()
      if (opensAdministration((await findRoleNamed(sql, role))?.abilities ?? []))
        throw newcomersAreMembers('register:role')
    }
    for (const [name, isGood, text] of FORMS)
      for (const entry of changes[name] ?? []) if (!isGood(entry)) throw invalidField(name, text(entry))
    if (helper !== undefined && helper !== null && !(await isUser(sql, helper)))
      throw invalidField('im:helper-user', { en: 'There is no such person.', zh: '用户不存在。' })
  },
}

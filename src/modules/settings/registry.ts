import {
  Address,
  Flag,
  Int,
  Nullable,
  OneOf,
  type Static,
  Text,
  TextList,
  type TSchema,
  Type,
} from '#platform/schema.ts'

/**
 * Every setting an administrator can change: its schema, and the value that holds until then. Keys are flat and, where
 * clients know them, those of the bootstrappers (sign-in-1).
 */
const define = <T extends TSchema>(schema: T, standard: Static<T>) => ({ schema, standard })

export const SETTINGS = {
  'pay-validate-user-password': define(Flag(), false),
  'feed:topic:need-review': define(Flag(), false),
  'feed:list-hot-days': define(Int(1, 365), 7),
  'feed:pay-word-limit': define(Int(1, 10_000), 50),
  'feed:reward': define(Flag(), true),
  'feed:paycontrol': define(Flag(), true),
  'feed:items': define(
    Type.Unsafe<number[]>({ type: 'array', items: Int(1, 1_000_000_000_000), maxItems: 20 }),
    [],
  ),
  'news:contribute:pay': define(Flag(), true),
  'news:contribute:verified': define(Flag(), true),
  'news:pay-contribute': define(Int(1, 9_999_999), 100),
  'checkin:switch': define(Flag(), true),
  'checkin:balance': define(Int(0, 1_000_000), 10),
  'currency:recharge-ratio': define(Int(1, 1_000_000), 1),
  'currency:recharge-options': define(Text(500), '100,500,1000,2000,5000,10000'),
  'currency:recharge-min': define(Int(1, 1_000_000_000_000), 100),
  'currency:recharge-max': define(Int(1, 1_000_000_000_000), 10_000_000),
  'currency:cash-min': define(Int(1, 1_000_000_000_000), 100),
  'currency:cash-max': define(Int(1, 1_000_000_000_000), 10_000_000),
  'currency:rule': define(Text(10_000, { 'x-empty': true }), ''),
  'currency:recharge': define(Flag(), true),
  'currency:recharge-rule': define(Text(10_000, { 'x-empty': true }), ''),
  'currency:cash': define(Flag(), true),
  'currency:cash-rule': define(Text(10_000, { 'x-empty': true }), ''),
  'currency:iap-only': define(Flag(), false),
  'currency:iap-rule': define(Text(10_000, { 'x-empty': true }), ''),
  'wallet:ratio': define(Int(1, 1000), 100),
  'wallet:rule': define(Text(10_000, { 'x-empty': true }), ''),
  'wallet:labels': define(
    Type.Unsafe<number[]>({ type: 'array', items: Int(1, 1_000_000_000_000), maxItems: 20 }),
    [],
  ),
  'wallet:cash': define(Flag(), true),
  'wallet:cash-min-amount': define(Int(1, 1_000_000_000_000), 100),
  'wallet:cash-types': define(TextList(10, 50), ['alipay', 'wechat']),
  'wallet:recharge': define(Flag(), true),
  'wallet:recharge-types': define(TextList(10, 50), ['manual']),
  'wallet:transform-currency': define(Flag(), true),
  'site:about-url': define(Nullable(Address()), null),
  'site:client-email': define(Nullable(Text(128)), null),
  'site:reserved-nickname': define(Text(10_000, { 'x-empty': true }), 'root,admin,administrator,kith'),
  'site:user-invite-template': define(Nullable(Text(2000)), null),
  'site:currency-name': define(Text(20), '积分'),
  'site:currency-unit': define(Text(20, { 'x-empty': true }), ''),
  'site:gold': define(Flag(), false),
  'site:reward': define(Flag(), true),
  'site:reward-amounts': define(Text(200), '5,10,15'),
  'site:anonymous': define(Flag(), true),
  'site:anonymous-rule': define(Text(10_000, { 'x-empty': true }), ''),
  'register:show-terms': define(Flag(), false),
  'register:method': define(OneOf(['all', 'mail-only', 'mobile-only', 'mail', 'mobile'] as const), 'all'),
  'register:content': define(Text(100_000, { 'x-empty': true }), ''),
  'register:fixed': define(OneOf(['need', 'no-need'] as const), 'need'),
  'register:type': define(OneOf(['all', 'invited', 'approval', 'thirdPart', 'closed'] as const), 'all'),
  'register:email-allowed': define(TextList(1000, 128), []),
  'register:email-blocked': define(TextList(1000, 128), []),
  'register:invitations-by-everybody': define(Flag(), false),
  'register:invitation-uses': define(Int(1, 1000), 5),
  'register:invitation-days': define(Int(1, 365), 30),
  'register:phone-countries': define(TextList(300, 2), ['CN']),
  // How long somebody who deletes their account may still change their mind (rights-1).
  'account:deletion-days': define(Int(0, 365), 14),
  // Whether people are told of a sign-in from a new device (rights-5).
  'account:sign-in-notices': define(Flag(), true),
  // Whether who administers needs a second factor (rights-8).
  'account:second-factor-for-administrators': define(Flag(), false),
  'register:role': define(Text(100), 'owner'),
  // Whether clients may learn that a phone or e-mail has an account, which one-key sign-in asks (sign-in-21).
  'users:tell-known-accounts': define(Flag(), true),
  'site:about-content': define(Text(100_000, { 'x-empty': true }), ''),
  'im:helper-user': define(Nullable(Int(1, Number.MAX_SAFE_INTEGER)), null),
  'group:need-verified': define(Flag(), false),
  'group:report-handle': define(OneOf(['managers', 'site'] as const), 'managers'),
  'group:protocol': define(Text(100_000, { 'x-empty': true }), ''),
  'question:apply-amount': define(Int(1, 1_000_000_000_000), 200),
  'question:onlookers-amount': define(Int(1, 1_000_000_000_000), 100),
  'question:anonymity-rule': define(Text(10_000, { 'x-empty': true }), ''),
  'question:reward-rule': define(Text(10_000, { 'x-empty': true }), ''),
  // Places to choose from at once, the first first, each written as `国家 省 市`.
  'locations:hots': define(TextList(100, 100), []),
  'jobs:keep-failed-days': define(Int(1, 3650), 30),
  'notifications:keep-read-days': define(Int(1, 3650), 180),
} as const

export type SettingName = keyof typeof SETTINGS

/** All settings with the values in force. */
export type Settings = { [Name in SettingName]: Static<(typeof SETTINGS)[Name]['schema']> }

/** The values that hold until an administrator changes them. */
export const STANDARD_SETTINGS = Object.fromEntries(
  Object.entries(SETTINGS).map(([name, { standard }]) => [name, standard]),
) as Settings

/** The body of PATCH /admin/settings: any of the settings. */
export const SettingsPatch = Type.Partial(
  Type.Object(Object.fromEntries(Object.entries(SETTINGS).map(([name, { schema }]) => [name, schema]))),
  { title: 'Settings' },
)

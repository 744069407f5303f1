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
} from '#platform/http'

const FEN = { 'x-unit': 'fen' }
const POINTS = { 'x-unit': 'points' }

/**
 * Every setting: its schema, its default, and its description in docs/settings.md (`npm run settings`). Keys
 * are flat and, for client settings, those of the bootstrappers (sign-in-1). The API description states the
 * default as `x-standard`, which the console uses to reset a setting, and the unit of an amount as `x-unit`, which is `fen` or `points`.
 */
const define = <T extends TSchema>(schema: T, standard: Static<T>, about: string) => ({
  schema: Object.assign(schema, {
    description: about,
    'x-standard': standard,
  }),
  standard,
  about,
})

export const SETTINGS = {
  'pay-validate-user-password': define(Flag(), false, 'Payments ask for the password of the account.'),
  'feed:topic:need-review': define(Flag(), false, 'New topics of feeds wait for a review.'),
  'feed:list-hot-days': define(Int(1, 365), 7, 'How many days back hot feeds are looked for.'),
  'feed:pay-word-limit': define(Int(1, 10_000), 50, 'How many characters of a paid feed everybody reads.'),
  'feed:reward': define(Flag(), true, 'Feeds can be rewarded.'),
  'feed:paycontrol': define(Flag(), true, 'Feeds can be sold.'),
  'feed:items': define(
    Type.Unsafe<number[]>({ type: 'array', items: Int(1, 1_000_000_000_000), maxItems: 20, ...POINTS }),
    [],
    'Amounts that clients offer as prices of feeds.',
  ),
  'news:contribute:pay': define(Flag(), true, 'Contributing an article costs `news:pay-contribute`.'),
  'news:contribute:verified': define(Flag(), true, 'Only certified people contribute articles.'),
  'news:pay-contribute': define(
    Int(1, 9_999_999, POINTS),
    100,
    'What contributing an article costs, in points.',
  ),
  'checkin:switch': define(Flag(), true, 'People check in once a day.'),
  'checkin:balance': define(Int(0, 1_000_000, POINTS), 10, 'Points for a check-in.'),
  'currency:recharge-ratio': define(Int(1, 1_000_000), 1, 'Points for one fen.'),
  'currency:recharge-options': define(
    Text(500, FEN),
    '100,500,1000,2000,5000,10000',
    'Amounts that clients offer for recharging, in fen.',
  ),
  'currency:recharge-min': define(
    Int(1, 1_000_000_000_000, FEN),
    100,
    'The least that is recharged or exchanged at once, in fen.',
  ),
  'currency:recharge-max': define(
    Int(1, 1_000_000_000_000, FEN),
    10_000_000,
    'The most that is recharged at once, in fen.',
  ),
  'currency:cash-min': define(
    Int(1, 1_000_000_000_000, POINTS),
    100,
    'The fewest points that are taken out at once.',
  ),
  'currency:cash-max': define(
    Int(1, 1_000_000_000_000, POINTS),
    10_000_000,
    'The most points that are taken out at once.',
  ),
  'currency:rule': define(Text(10_000, { 'x-empty': true }), '', 'The text of clients about points.'),
  'currency:recharge': define(Flag(), true, 'Points can be recharged.'),
  'currency:recharge-rule': define(
    Text(10_000, { 'x-empty': true }),
    '',
    'The text of clients about recharging.',
  ),
  'currency:cash': define(Flag(), true, 'Points can be taken out.'),
  'currency:cash-rule': define(
    Text(10_000, { 'x-empty': true }),
    '',
    'The text of clients about taking points out.',
  ),
  'currency:iap-only': define(Flag(), false, 'Clients recharge with in-app purchases only.'),
  'currency:iap-rule': define(
    Text(10_000, { 'x-empty': true }),
    '',
    'The text of clients about in-app purchases.',
  ),
  'wallet:ratio': define(Int(1, 1000), 100, 'The ratio of the wallet that older clients show.'),
  'wallet:rule': define(Text(10_000, { 'x-empty': true }), '', 'The text of clients about the wallet.'),
  'wallet:labels': define(
    Type.Unsafe<number[]>({ type: 'array', items: Int(1, 1_000_000_000_000), maxItems: 20, ...FEN }),
    [],
    'Amounts that clients offer for the wallet, in fen.',
  ),
  'wallet:cash': define(Flag(), true, 'Wallet money can be taken out.'),
  'wallet:cash-min-amount': define(
    Int(1, 1_000_000_000_000, FEN),
    100,
    'The least wallet money that is taken out at once, in fen.',
  ),
  'wallet:cash-types': define(
    TextList(10, 50),
    ['alipay', 'wechat'],
    'Kinds of accounts that money is paid out to.',
  ),
  'wallet:recharge': define(Flag(), true, 'Wallets can be recharged.'),
  'wallet:recharge-daily': define(
    Int(0, 1_000_000_000_000, FEN),
    0,
    'The most that somebody can pay in on one day, in fen; 0 is no limit.',
  ),
  'wallet:recharge-types': define(TextList(10, 50), ['manual'], 'Payment providers that are offered.'),
  'wallet:transform-currency': define(Flag(), true, 'Wallet money can be exchanged for points.'),
  'site:about-url': define(
    Nullable(Address()),
    null,
    'Where `GET /aboutus` leads to; without it that page shows `site:about-content`.',
  ),
  'site:time-zone': define(
    Text(64),
    'UTC',
    'The time zone of check-ins and of the rankings of today, such as `Asia/Shanghai`.',
  ),
  'site:web-links': define(
    TextList(20, 500),
    [],
    'Addresses of the web client, each a kind of thing and a pattern: `feeds https://app.example/p/{id}` (notifications-17).',
  ),
  'site:client-email': define(Nullable(Text(128)), null, 'The address of the site that clients show.'),
  'site:reserved-nickname': define(
    Text(10_000, { 'x-empty': true }),
    'root,admin,administrator,kith',
    'Names that nobody takes, with commas between.',
  ),
  'site:user-invite-template': define(
    Nullable(Text(2000)),
    null,
    'The text with which clients invite friends.',
  ),
  'site:currency-name': define(Text(20), '积分', 'How points are called.'),
  'site:currency-unit': define(Text(20, { 'x-empty': true }), '', 'The unit of points.'),
  'site:gold': define(Flag(), false, 'The switch of gold that older clients read.'),
  'site:reward': define(Flag(), true, 'Rewards can be given.'),
  'site:reward-amounts': define(Text(200, POINTS), '5,10,15', 'Amounts that clients offer for rewards.'),
  'site:anonymous': define(Flag(), true, 'Questions and answers can be anonymous.'),
  'site:anonymous-rule': define(
    Text(10_000, { 'x-empty': true }),
    '',
    'The text of clients about being anonymous.',
  ),
  'register:show-terms': define(Flag(), false, 'Clients show `register:content` at registration.'),
  'register:method': define(
    OneOf(['all', 'mail-only', 'mobile-only', 'mail', 'mobile'] as const),
    'all',
    'By what newcomers register (registration-2).',
  ),
  'register:content': define(
    Text(100_000, { 'x-empty': true }),
    '',
    'The terms that clients show at registration.',
  ),
  'register:fixed': define(
    OneOf(['need', 'no-need'] as const),
    'need',
    'Whether clients ask newcomers to complete their profile.',
  ),
  'register:type': define(
    OneOf(['all', 'invited', 'approval', 'thirdPart', 'closed'] as const),
    'all',
    'Who may register (registration-1).',
  ),
  'register:email-allowed': define(
    TextList(1000, 128),
    [],
    'Addresses and domains that are accepted; all where empty (registration-3).',
  ),
  'register:email-blocked': define(
    TextList(1000, 128),
    [],
    'Addresses and domains that are not accepted (registration-3).',
  ),
  'register:invitations-by-everybody': define(Flag(), false, 'Everybody may invite (registration-6).'),
  'register:invitation-uses': define(
    Int(1, 1000),
    5,
    'How many newcomers may come by one invitation (registration-6).',
  ),
  'register:invitation-days': define(Int(1, 365), 30, 'How long an invitation is good (registration-6).'),
  'register:phone-countries': define(
    TextList(300, 2),
    ['CN'],
    'Countries of new phone numbers, `*` for all (registration-4).',
  ),
  'sms:templates': define(
    TextList(500, 200),
    [],
    'Templates and signatures of text messages: service, purpose, country, template or `-`, and signature (docs/sms.md).',
  ),
  'sms:daily-per-number': define(Int(0, 10_000), 20, 'Text messages to one number a day; 0: no limit.'),
  'sms:daily-per-address': define(
    Int(0, 1_000_000),
    100,
    'Codes by text message that one network address asks for a day; 0: no limit.',
  ),
  'sms:daily-per-country': define(
    TextList(300, 20),
    [],
    'Codes by text message to a country a day: a country and a number, `*` for each other country.',
  ),
  'sms:daily': define(Int(0, 100_000_000), 10_000, 'Codes by text message a day; 0: no limit.'),
  'account:deletion-days': define(
    Int(0, 365),
    14,
    'How long somebody who deletes their account may change their mind (rights-1).',
  ),
  'account:sign-in-notices': define(
    Flag(),
    true,
    'People are told of a sign-in from a new device (rights-5).',
  ),
  'account:second-factor-for-administrators': define(
    Flag(),
    false,
    'Who administers needs a second factor (rights-8).',
  ),
  'account:export-hours': define(
    Int(0, 720),
    24,
    'How long after an export of their data somebody may ask for another one; 0: at once (rights-9).',
  ),
  'account:export-days': define(Int(1, 30), 7, 'How long an export is kept (rights-9).'),
  'account:export-megabytes': define(
    Int(0, 1_000_000),
    2000,
    'How many megabytes of uploads an export holds; what is beyond is listed and left out (rights-10).',
  ),
  'register:role': define(Text(100), 'owner', 'The role of newcomers.'),
  'users:tell-known-accounts': define(
    Flag(),
    true,
    'Clients learn that a phone or e-mail has an account (sign-in-21).',
  ),
  'site:about-content': define(Text(100_000, { 'x-empty': true }), '', 'The text of `GET /aboutus`.'),
  'im:helper-user': define(
    Nullable(Int(1, Number.MAX_SAFE_INTEGER)),
    null,
    'The person whom clients offer for questions about the site.',
  ),
  'group:need-verified': define(Flag(), false, 'Only certified people make groups.'),
  'group:report-handle': define(
    OneOf(['managers', 'site'] as const),
    'managers',
    'Who handles reports of posts in groups.',
  ),
  'group:protocol': define(
    Text(100_000, { 'x-empty': true }),
    '',
    'The text of clients about making groups.',
  ),
  'question:apply-amount': define(
    Int(1, 1_000_000_000_000, POINTS),
    200,
    'What asking for excellence costs, in points.',
  ),
  'question:onlookers-amount': define(
    Int(1, 1_000_000_000_000, POINTS),
    100,
    'What looking at a paid answer costs, in points.',
  ),
  'question:anonymity-rule': define(
    Text(10_000, { 'x-empty': true }),
    '',
    'The text of clients about anonymous questions.',
  ),
  'question:reward-rule': define(
    Text(10_000, { 'x-empty': true }),
    '',
    'The text of clients about bounties.',
  ),
  'locations:hots': define(TextList(100, 100), [], 'Places to choose from at once, each as `国家 省 市`.'),
  'jobs:keep-failed-days': define(Int(1, 3650), 30, 'How long jobs that failed for good are kept.'),
  'notifications:keep-read-days': define(
    Int(1, 3650),
    180,
    'How long notifications are kept that were read.',
  ),
  'notifications:keep-unread-days': define(
    Int(1, 3650),
    365,
    'How long notifications are kept that nobody reads.',
  ),
  'notifications:keep-most': define(
    Int(100, 1_000_000),
    10_000,
    'How many notifications of a type a person keeps; the oldest go first.',
  ),
  'notifications:push-text': define(
    Flag(),
    false,
    'Whether FCM, APNs and JPush get the text of notifications.',
  ),
  'chat:edit-minutes': define(
    Int(0, 525_600),
    10,
    'For how many minutes people may edit and delete their messages.',
  ),
  'chat:keep-days': define(Int(0, 36_500), 0, 'How many days messages are kept; 0: for ever.'),
  'chat:push-text': define(
    Flag(),
    false,
    'Whether gateways and services that push to telephones get the text of chat messages.',
  ),
  'chat:presence': define(Flag(), true, 'Whether people learn who of a conversation is connected just now.'),
  'chat:seen': define(Flag(), true, 'Whether people see up to where others have read.'),
  'group:keep-request-days': define(
    Int(1, 3650),
    365,
    'How long requests to join groups are kept that were decided or taken back.',
  ),
} as const

export type SettingName = keyof typeof SETTINGS

export type Settings = { [Name in SettingName]: Static<(typeof SETTINGS)[Name]['schema']> }

export const STANDARD_SETTINGS = Object.fromEntries(
  Object.entries(SETTINGS).map(([name, { standard }]) => [name, standard]),
) as Settings

export const SettingsPatch = Type.Partial(
  Type.Object(Object.fromEntries(Object.entries(SETTINGS).map(([name, { schema }]) => [name, schema]))),
  { title: 'Settings' },
)

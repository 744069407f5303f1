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
 * The API description contains each default as `x-standard`, so that the console can reset a setting. `npm
 * run settings` writes `about` to docs/settings.md.
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
  'pay-validate-user-password': define(Flag(), false, 'Payments require the account password.'),
  'feed:topic:need-review': define(Flag(), false, 'New feed topics require approval.'),
  'feed:topic:default-logo': define(
    Nullable(Text(512, { 'x-picture': true })),
    null,
    'Picture that topics without a picture show (topics-16), as the `node` of a stored picture.',
  ),
  'feed:list-hot-days': define(Int(1, 365), 7, 'Maximum age of hot feeds, in days.'),
  'feed:pay-word-limit': define(
    Int(1, 10_000),
    50,
    'Number of characters of a paid feed that are free to read.',
  ),
  'feed:reward': define(Flag(), true, 'Users may reward feeds.'),
  'feed:paycontrol': define(Flag(), true, 'Users may sell feeds.'),
  'feed:items': define(
    Type.Unsafe<number[]>({ type: 'array', items: Int(1, 1_000_000_000_000), maxItems: 20, ...POINTS }),
    [],
    'Feed prices that clients suggest.',
  ),
  'news:contribute:pay': define(Flag(), true, 'Submitting an article costs `news:pay-contribute`.'),
  'news:contribute:verified': define(Flag(), true, 'Only certified users may submit articles.'),
  'news:pay-contribute': define(Int(1, 9_999_999, POINTS), 100, 'Price of submitting an article, in points.'),
  'checkin:switch': define(Flag(), true, 'Users may check in once a day.'),
  'checkin:balance': define(Int(0, 1_000_000, POINTS), 10, 'Reward of a check-in, in points.'),
  'currency:recharge-ratio': define(Int(1, 1_000_000), 1, 'Exchange rate: points per fen.'),
  'currency:recharge-options': define(
    Text(500, FEN),
    '100,500,1000,2000,5000,10000',
    'Recharge amounts that clients suggest, in fen.',
  ),
  'currency:recharge-min': define(
    Int(1, 1_000_000_000_000, FEN),
    100,
    'Minimum of a recharge or an exchange, in fen.',
  ),
  'currency:recharge-max': define(
    Int(1, 1_000_000_000_000, FEN),
    10_000_000,
    'Maximum of a recharge, in fen.',
  ),
  'currency:cash-min': define(Int(1, 1_000_000_000_000, POINTS), 100, 'Minimum of a points withdrawal.'),
  'currency:cash-max': define(
    Int(1, 1_000_000_000_000, POINTS),
    10_000_000,
    'Maximum of a points withdrawal.',
  ),
  'currency:rule': define(Text(10_000, { 'x-empty': true }), '', 'Text about points in clients.'),
  'currency:recharge': define(Flag(), true, 'Users may recharge points.'),
  'currency:recharge-rule': define(
    Text(10_000, { 'x-empty': true }),
    '',
    'Text about recharging in clients.',
  ),
  'currency:cash': define(Flag(), true, 'Users may withdraw points.'),
  'currency:cash-rule': define(
    Text(10_000, { 'x-empty': true }),
    '',
    'Text about withdrawing points in clients.',
  ),
  'currency:iap-only': define(Flag(), false, 'Clients recharge by in-app purchase only.'),
  'currency:iap-rule': define(
    Text(10_000, { 'x-empty': true }),
    '',
    'Text about in-app purchases in clients.',
  ),
  'wallet:ratio': define(Int(1, 1000), 100, 'Wallet ratio that older clients show.'),
  'wallet:rule': define(Text(10_000, { 'x-empty': true }), '', 'Text about the wallet in clients.'),
  'wallet:labels': define(
    Type.Unsafe<number[]>({ type: 'array', items: Int(1, 1_000_000_000_000), maxItems: 20, ...FEN }),
    [],
    'Wallet amounts that clients suggest, in fen.',
  ),
  'wallet:cash': define(Flag(), true, 'Users may withdraw wallet money.'),
  'wallet:cash-min-amount': define(
    Int(1, 1_000_000_000_000, FEN),
    100,
    'Minimum of a wallet withdrawal, in fen.',
  ),
  'wallet:cash-types': define(TextList(10, 50), ['alipay', 'wechat'], 'Kinds of payout accounts.'),
  'wallet:recharge': define(Flag(), true, 'Users may recharge their wallet.'),
  'wallet:recharge-daily': define(
    Int(0, 1_000_000_000_000, FEN),
    0,
    'Daily limit of recharges per user, in fen; 0 is no limit.',
  ),
  'wallet:recharge-types': define(TextList(10, 50), ['manual'], 'Offered payment providers.'),
  'wallet:transform-currency': define(Flag(), true, 'Users may exchange wallet money for points.'),
  'site:name': define(
    Nullable(Text(40)),
    null,
    'Name of the site. Without it `SITE_NAME` of the environment applies (docs/branding.md).',
  ),
  'site:name-en': define(Nullable(Text(40)), null, 'Name of the site in English, instead of `site:name`.'),
  'site:name-zh': define(Nullable(Text(40)), null, 'Name of the site in Chinese, instead of `site:name`.'),
  'site:description': define(
    Nullable(Text(200)),
    null,
    'One sentence about the site, for search engines and previews of links.',
  ),
  'site:description-en': define(
    Nullable(Text(200)),
    null,
    'The sentence in English, instead of `site:description`.',
  ),
  'site:description-zh': define(
    Nullable(Text(200)),
    null,
    'The sentence in Chinese, instead of `site:description`.',
  ),
  'site:welcome': define(Nullable(Text(500)), null, 'Text that invites guests of the site to sign up.'),
  'site:welcome-en': define(
    Nullable(Text(500)),
    null,
    'The invitation in English, instead of `site:welcome`.',
  ),
  'site:welcome-zh': define(
    Nullable(Text(500)),
    null,
    'The invitation in Chinese, instead of `site:welcome`.',
  ),
  'site:contact': define(
    Nullable(Text(200)),
    null,
    'Address of the operator: an e-mail address, a URL or a phone number.',
  ),
  'site:imprint': define(
    Nullable(Text(2000)),
    null,
    'Operator of the site, for countries that require it. `GET /aboutus` shows it.',
  ),
  'site:accent': define(
    Nullable(Text(7, { pattern: '^#[0-9A-Fa-f]{6}$' })),
    null,
    'Colour of buttons and links, as `#rrggbb`. The server corrects it until text is readable in both themes.',
  ),
  'site:logo': define(
    Nullable(Text(200)),
    null,
    'Logo in the header, as the node of an uploaded picture (docs/branding.md).',
  ),
  'site:logo-has-name': define(
    Flag(),
    false,
    'The logo contains the name of the site, so that the header shows it without the name.',
  ),
  'site:icon': define(
    Nullable(Text(200)),
    null,
    'Icon of the site, as the node of an uploaded picture. The server draws all sizes from it.',
  ),
  'site:picture': define(
    Nullable(Text(200)),
    null,
    'Picture of previews of links, as the node of an uploaded picture.',
  ),
  'site:setup': define(
    TextList(10, 20),
    [],
    'Finished first steps of the console: look, join, mail, backup, invite. `closed` hides the list.',
  ),
  'mail:weekly': define(
    Flag(),
    true,
    'Users may ask for a weekly mail about what they follow. Requires `WEB=on`, because the mail leads to pages.',
  ),
  'site:powered-by': define(Flag(), true, 'Pages and mails name the software of the site.'),
  'site:about-url': define(
    Nullable(Address()),
    null,
    'Redirect target of `GET /aboutus`. Without it the page shows `site:about-content`.',
  ),
  'site:time-zone': define(
    Text(64),
    'UTC',
    'Time zone of check-ins, daily rankings and times in rendered pages, such as `Asia/Shanghai`.',
  ),
  'site:web-links': define(
    TextList(20, 500),
    [],
    'URLs of the web client, each a kind of content and a pattern: `feeds https://app.example/p/{id}` (notifications-17).',
  ),
  'site:client-email': define(Nullable(Text(128)), null, 'E-mail address of the site that clients show.'),
  'site:reserved-nickname': define(
    Text(10_000, { 'x-empty': true }),
    'root,admin,administrator,kith',
    'Reserved user names, separated by commas.',
  ),
  'site:user-invite-template': define(
    Nullable(Text(2000)),
    null,
    'Text of invitations that clients send to friends.',
  ),
  'site:currency-name': define(
    Nullable(Text(20)),
    null,
    'Name of points. Without it, “Points” or “积分” in the language of the reader.',
  ),
  'site:currency-unit': define(Text(20, { 'x-empty': true }), '', 'Unit of points.'),
  'site:gold': define(Flag(), false, 'Gold flag that older clients read.'),
  'site:reward': define(Flag(), true, 'Users may give rewards.'),
  'site:reward-amounts': define(Text(200, POINTS), '5,10,15', 'Reward amounts that clients suggest.'),
  'site:anonymous': define(Flag(), true, 'Users may ask and answer anonymously.'),
  'site:anonymous-rule': define(Text(10_000, { 'x-empty': true }), '', 'Text about anonymity in clients.'),
  'register:show-terms': define(Flag(), false, 'Clients show `register:content` at registration.'),
  'register:method': define(
    OneOf(['all', 'mail-only', 'mobile-only', 'mail', 'mobile'] as const),
    'all',
    'Allowed registration methods (registration-2).',
  ),
  'register:content': define(
    Text(100_000, { 'x-empty': true }),
    '',
    'Terms that clients show at registration.',
  ),
  'register:fixed': define(
    OneOf(['need', 'no-need'] as const),
    'need',
    'Clients ask new users to complete their profile.',
  ),
  'register:type': define(
    OneOf(['all', 'invited', 'approval', 'thirdPart', 'closed'] as const),
    'all',
    'Registration mode (registration-1).',
  ),
  'register:email-allowed': define(
    TextList(1000, 128),
    [],
    'Allowed e-mail addresses and domains. An empty list allows all (registration-3).',
  ),
  'register:email-blocked': define(
    TextList(1000, 128),
    [],
    'Blocked e-mail addresses and domains (registration-3).',
  ),
  'register:invitations-by-everybody': define(
    Flag(),
    false,
    'Every user may create invitations (registration-6).',
  ),
  'register:invitation-uses': define(
    Int(1, 1000),
    5,
    'Maximum number of uses of an invitation (registration-6).',
  ),
  'register:invitation-days': define(Int(1, 365), 30, 'Lifetime of an invitation, in days (registration-6).'),
  'register:phone-countries': define(
    TextList(300, 2),
    ['CN'],
    'Allowed countries of new phone numbers, `*` for all (registration-4).',
  ),
  'sms:templates': define(
    TextList(500, 200),
    [],
    'Templates and signatures of text messages. Each line names a service, purpose, country, template or `-`, and signature (docs/sms.md).',
  ),
  'sms:daily-per-number': define(
    Int(0, 10_000),
    20,
    'Daily limit of text messages per number; 0 is no limit.',
  ),
  'sms:daily-per-address': define(
    Int(0, 1_000_000),
    100,
    'Daily limit of codes by text message per client address; 0 is no limit.',
  ),
  'sms:daily-per-country': define(
    TextList(300, 20),
    [],
    'Daily limits of codes by text message per country, each a country and a number. `*` stands for every other country.',
  ),
  'sms:daily': define(Int(0, 100_000_000), 10_000, 'Daily limit of codes by text message; 0 is no limit.'),
  'account:deletion-days': define(
    Int(0, 365),
    14,
    'Grace period of an account deletion, in days (rights-1).',
  ),
  'account:sign-in-notices': define(
    Flag(),
    true,
    'The server alerts users of a sign-in from a new device (rights-5).',
  ),
  'account:second-factor-for-administrators': define(
    Flag(),
    false,
    'Administrators need two-step verification (rights-8).',
  ),
  'account:export-hours': define(
    Int(0, 720),
    24,
    'Minimum time between two data exports of a user, in hours (rights-9).',
  ),
  'account:export-days': define(Int(1, 30), 7, 'Retention of a data export, in days (rights-9).'),
  'account:export-megabytes': define(
    Int(0, 1_000_000),
    2000,
    'Maximum size of the uploads in an export, in megabytes. Uploads beyond it are listed but left out (rights-10).',
  ),
  'register:role': define(Text(100), 'owner', 'Role of new users.'),
  'users:tell-known-accounts': define(
    Flag(),
    true,
    'Clients can find out whether a phone or e-mail has an account (sign-in-21).',
  ),
  'site:about-content': define(Text(100_000, { 'x-empty': true }), '', 'Text of `GET /aboutus`.'),
  'im:helper-user': define(
    Nullable(Int(1, Number.MAX_SAFE_INTEGER)),
    null,
    'User whom clients suggest for questions about the site.',
  ),
  'group:need-verified': define(Flag(), false, 'Only certified users may create groups.'),
  'group:report-handle': define(
    OneOf(['managers', 'site'] as const),
    'managers',
    'Recipient of reports about group posts.',
  ),
  'group:protocol': define(Text(100_000, { 'x-empty': true }), '', 'Text about creating groups in clients.'),
  'question:apply-amount': define(
    Int(1, 1_000_000_000_000, POINTS),
    200,
    'Price of a request for excellence, in points.',
  ),
  'question:onlookers-amount': define(
    Int(1, 1_000_000_000_000, POINTS),
    100,
    'Price of reading a paid answer, in points.',
  ),
  'question:anonymity-rule': define(
    Text(10_000, { 'x-empty': true }),
    '',
    'Text about anonymous questions in clients.',
  ),
  'question:reward-rule': define(Text(10_000, { 'x-empty': true }), '', 'Text about bounties in clients.'),
  'locations:hots': define(TextList(100, 100), [], 'Suggested places, each as `国家 省 市`.'),
  'jobs:keep-failed-days': define(Int(1, 3650), 30, 'Retention of permanently failed jobs, in days.'),
  'notifications:keep-read-days': define(Int(1, 3650), 180, 'Retention of read notifications, in days.'),
  'notifications:keep-unread-days': define(Int(1, 3650), 365, 'Retention of unread notifications, in days.'),
  'notifications:keep-most': define(
    Int(100, 1_000_000),
    10_000,
    'Maximum number of notifications per user and type. The oldest are deleted first.',
  ),
  'notifications:push-text': define(
    Flag(),
    false,
    'Push messages by FCM, APNs and JPush contain the text of notifications.',
  ),
  'chat:edit-minutes': define(
    Int(0, 525_600),
    10,
    'Time limit for editing and deleting own messages, in minutes.',
  ),
  'chat:keep-days': define(Int(0, 36_500), 0, 'Retention of messages, in days; 0 is unlimited.'),
  'chat:push-text': define(
    Flag(),
    false,
    'Push messages by gateways and mobile push services contain the text of chat messages.',
  ),
  'chat:presence': define(Flag(), true, 'Members of a conversation see who is online.'),
  'chat:seen': define(Flag(), true, 'Members of a conversation see read positions.'),
  'group:keep-request-days': define(
    Int(1, 3650),
    365,
    'Retention of decided or withdrawn requests to join groups, in days.',
  ),
} as const

export type SettingName = keyof typeof SETTINGS

export type Settings = { [Name in SettingName]: Static<(typeof SETTINGS)[Name]['schema']> }

export const STANDARD_SETTINGS = Object.fromEntries(
  Object.entries(SETTINGS).map(([name, { standard }]) => [name, standard]),
) as Settings

export const SettingsPatch = Type.Partial(
  Type.Object(Object.fromEntries(Object.entries(SETTINGS).map(([name, { schema }]) => [name, schema]))),
  // Refuses misspelled names, which would otherwise change nothing.
  { title: 'Settings', additionalProperties: false },
)

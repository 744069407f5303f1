import { ACCOUNT_SETTINGS } from '#modules/accounts/index.ts'
import { AREA_SETTINGS } from '#modules/areas/index.ts'
import { CHECKIN_SETTINGS } from '#modules/checkins/index.ts'
import { FEED_SETTINGS } from '#modules/feeds/index.ts'
import { GROUP_SETTINGS } from '#modules/groups/index.ts'
import { LEDGER_SETTINGS } from '#modules/ledger/index.ts'
import { NEWS_SETTINGS } from '#modules/news/index.ts'
import { QUESTION_SETTINGS } from '#modules/questions/index.ts'
import { REWARD_SETTINGS } from '#modules/rewards/index.ts'
import {
  currencyName,
  type SettingsOf,
  SITE_SETTINGS,
  settingsReader,
  siteIdentity,
} from '#modules/settings/index.ts'
import type { Context } from '#platform/context.ts'
import type { Language } from '#platform/errors.ts'
import { language, OpenObject, routesOn, type Server, Shared, type Static, Type } from '#platform/http'
import { VERSION } from '#platform/version.ts'
import { BOOTSTRAP_SETTINGS } from './settings.ts'

const APPLICATION_COST = { description: 'Price of a request for excellence, in points' }
const LOOK_COST = { description: 'Price to view a paid answer, in points' }

/** Omits empty values, unless clients read them without a null check (sign-in-1). */
export const Bootstrap = Shared('Bootstrap', {
  'server:version': Type.String(),
  limit: Type.Integer({ description: 'Default page size; a page with fewer items is the last one' }),
  'pay-validate-user-password': Type.Boolean({ description: 'True when payments require `password`' }),
  identity: Shared('SiteIdentity', {
    name: Type.String({ description: 'Name of the site in the language of the reader' }),
    description: Type.String({ description: 'One sentence about the site' }),
    welcome: Type.Optional(Type.String({ description: 'Text that invites guests to sign up' })),
    contact: Type.Optional(
      Type.String({ description: 'Address of the operator: an e-mail address, a URL or a phone number' }),
    ),
    accent: Type.Optional(
      Shared('SiteAccent', {
        chosen: Type.String({ description: 'Colour that the administrator chose, as `#rrggbb`' }),
        light: Type.String({ description: 'The colour corrected for text on a light background' }),
        dark: Type.String({ description: 'The colour corrected for text on a dark background' }),
      }),
    ),
    logo: Type.Optional(Type.String({ description: 'Logo, at most 480 × 96 pixels' })),
    logo_has_name: Type.Optional(Type.Boolean({ description: 'True when the logo contains the name' })),
    icon: Type.Optional(Type.String({ description: 'Icon of 512 × 512 pixels' })),
    picture: Type.Optional(Type.String({ description: 'Picture of previews of links, 1200 × 630 pixels' })),
    powered_by: Type.Boolean({ description: 'True when pages name the software of the site' }),
  }),
  site: OpenObject,
  registerSettings: OpenObject,
  currency: OpenObject,
  wallet: OpenObject,
  feed: OpenObject,
  news: OpenObject,
  'news:contribute': OpenObject,
  checkin: OpenObject,
  'im:helper-user': Type.Optional(Type.Integer()),
  ad: Type.Optional(
    Type.Array(OpenObject, { description: 'Advertisements for the launch screen, in order' }),
  ),
  hots_area: Type.Optional(Type.Array(Shared('HotArea', { name: Type.String(), sort: Type.Integer() }))),
  'Q&A': Shared('QuestionSettings', {
    switch: Type.Boolean({ description: 'Always true' }),
    apply_amount: Type.Integer(APPLICATION_COST),
    onlookers_amount: Type.Integer(LOOK_COST),
    anonymity_rule: Type.String(),
    reward_rule: Type.String(),
  }),
  'question:apply_amount': Type.Integer(APPLICATION_COST),
  'question:onlookers_amount': Type.Integer(LOOK_COST),
  'question:anonymity_rule': Type.Optional(Type.String()),
  'question:reward_rule': Type.Optional(Type.String()),
  pages: Type.Array(
    Shared('PageLink', {
      slug: Type.String({ description: 'The page is at `/pages/:slug`' }),
      title: Type.String(),
      in_footer: Type.Boolean(),
      agreed_version: Type.Optional(
        Type.Integer({ description: 'Set when new users agree to the page, for `agreed` of a registration' }),
      ),
    }),
    { description: 'Pages of the site, such as terms and privacy' },
  ),
  'group:create': OpenObject,
  'group:reward': OpenObject,
  uploads: Shared('UploadLimits', {
    max_bytes: Type.Integer({ description: 'Maximum size of a file for `POST /files`' }),
    max_pixels: Type.Integer({ description: 'Maximum width times height of a picture' }),
    mime_types: Type.Array(Type.String(), { description: 'Types for `POST /files`' }),
    node_max_bytes: Type.Integer({ description: 'Maximum size of a picture for `POST /storage`' }),
    node_mime_types: Type.Array(Type.String(), { description: 'Types for `POST /storage`' }),
  }),
  outside_providers: Type.Optional(
    Type.Array(Shared('OutsideProvider', { name: Type.String(), label: Type.String() }), {
      description: 'External providers for sign-in (sign-in-23)',
    }),
  ),
})

const SHOWN = {
  ...SITE_SETTINGS,
  ...ACCOUNT_SETTINGS,
  ...AREA_SETTINGS,
  ...BOOTSTRAP_SETTINGS,
  ...CHECKIN_SETTINGS,
  ...FEED_SETTINGS,
  ...GROUP_SETTINGS,
  ...LEDGER_SETTINGS,
  ...NEWS_SETTINGS,
  ...QUESTION_SETTINGS,
  ...REWARD_SETTINGS,
}

const readSettings = settingsReader(SHOWN)

type Settings = SettingsOf<typeof SHOWN>

/** Page size that clients expect. They treat a page with fewer items as the last page (conventions-14). */
const PAGE_SIZE = 15

/** Maps registration methods to the names that clients expect. Older settings contain `mail` and `mobile`. */
const METHODS = {
  all: 'all',
  mail: 'mail-only',
  mobile: 'mobile-only',
  'mail-only': 'mail-only',
  'mobile-only': 'mobile-only',
} as const

/** Removes nulls and empty strings, lists and objects at every depth. Preserves false and 0 (sign-in-1). */
function withoutEmpty(value: unknown): unknown {
  if (value === null || value === '') return undefined
  if (Array.isArray(value)) {
    const items = value.map(withoutEmpty).filter((item) => item !== undefined)
    return items.length > 0 ? items : undefined
  }
  if (typeof value !== 'object') return value
  const entries = Object.entries(value)
    .map(([name, item]) => [name, withoutEmpty(item)] as const)
    .filter(([, item]) => item !== undefined)
  return entries.length > 0 ? Object.fromEntries(entries) : undefined
}

function bootstrapView(
  settings: Settings,
  advertisements: object[],
  uploads: Static<typeof Bootstrap>['uploads'],
  config: Context['config'],
  language: Language,
  pages: Static<typeof Bootstrap>['pages'],
): Static<typeof Bootstrap> {
  const hots = settings['locations:hots']
  const contribute = {
    pay: settings['news:contribute:pay'],
    verified: settings['news:contribute:verified'],
  }
  const questions = {
    apply_amount: settings['question:apply-amount'],
    onlookers_amount: settings['question:onlookers-amount'],
    anonymity_rule: settings['question:anonymity-rule'],
    reward_rule: settings['question:reward-rule'],
  }
  const all = {
    'server:version': VERSION,
    limit: PAGE_SIZE,
    identity: siteIdentity(config, settings, language),
    'pay-validate-user-password': settings['pay-validate-user-password'],
    site: {
      about_url: settings['site:about-url'],
      anonymous: { status: settings['site:anonymous'], rule: settings['site:anonymous-rule'] },
      client_email: settings['site:client-email'],
      gold: { status: settings['site:gold'] },
      reserved_nickname: settings['site:reserved-nickname'],
      time_zone: settings['site:time-zone'],
      reward: { status: settings['site:reward'], amounts: settings['site:reward-amounts'] },
      user_invite_template: settings['site:user-invite-template'],
      currency_name: { name: currencyName(settings, language), unit: settings['site:currency-unit'] },
    },
    registerSettings: {
      showTerms: settings['register:show-terms'],
      method: METHODS[settings['register:method']],
      content: settings['register:content'],
      fixed: settings['register:fixed'],
      type: settings['register:type'],
    },
    currency: {
      IAP: { only: settings['currency:iap-only'], rule: settings['currency:iap-rule'] },
      cash: { rule: settings['currency:cash-rule'], status: settings['currency:cash'] },
      recharge: { rule: settings['currency:recharge-rule'], status: settings['currency:recharge'] },
      rule: settings['currency:rule'],
      settings: {
        'recharge-ratio': settings['currency:recharge-ratio'],
        'recharge-options': settings['currency:recharge-options'],
        'recharge-max': settings['currency:recharge-max'],
        'recharge-min': settings['currency:recharge-min'],
        'cash-max': settings['currency:cash-max'],
        'cash-min': settings['currency:cash-min'],
      },
    },
    wallet: {
      rule: settings['wallet:rule'],
      labels: settings['wallet:labels'],
      ratio: settings['wallet:ratio'],
      cash: {
        'min-amount': settings['wallet:cash-min-amount'],
        types: settings['wallet:cash-types'],
        status: settings['wallet:cash'],
      },
      recharge: { types: settings['wallet:recharge-types'], status: settings['wallet:recharge'] },
      'transform-currency': settings['wallet:transform-currency'],
    },
    feed: {
      reward: settings['feed:reward'],
      paycontrol: settings['feed:paycontrol'],
      items: settings['feed:items'],
      limit: settings['feed:pay-word-limit'],
    },
    news: {
      contribute,
      pay_contribute: settings['news:pay-contribute'],
    },
    'news:contribute': contribute,
    checkin: { switch: settings['checkin:switch'], balance: settings['checkin:balance'] },
    'im:helper-user': settings['im:helper-user'],
    ad: advertisements,
    hots_area: hots.map((name, index) => ({ name, sort: hots.length - index })),
    'question:apply_amount': questions.apply_amount,
    'question:onlookers_amount': questions.onlookers_amount,
    'question:anonymity_rule': questions.anonymity_rule,
    'question:reward_rule': questions.reward_rule,
    'group:create': { need_verified: settings['group:need-verified'] },
    'group:reward': { status: settings['site:reward'] },
    outside_providers: Object.entries(config.outsideProviders).map(([name, { label }]) => ({ name, label })),
  }
  const { registerSettings, feed, ...rest } = withoutEmpty(all) as Static<typeof Bootstrap>
  return {
    ...rest,
    uploads,
    // Restores fields that clients read without a null check (sign-in-1).
    'Q&A': { switch: true, ...questions },
    pages,
    registerSettings: { ...registerSettings, content: settings['register:content'] },
    feed: { ...feed, items: settings['feed:items'] },
  }
}

type PagesByLanguage = Record<
  Language,
  { slug: string; title: string; in_footer: boolean; at_sign_up: boolean; version: number }[]
>

const pageLink = ({ slug, title, in_footer, at_sign_up, version }: PagesByLanguage['en'][number]) => ({
  slug,
  title,
  in_footer,
  ...(at_sign_up ? { agreed_version: version } : {}),
})

type Views = Partial<Record<Language, Static<typeof Bootstrap>>>

/** Takes functions of modules that this module must not import. */
export const bootstrapRoutes =
  (
    findAdvertisements: (ctx: Context) => Promise<object[]>,
    uploadLimits: (ctx: Context) => Static<typeof Bootstrap>['uploads'],
    readPages: (ctx: Context) => Promise<PagesByLanguage>,
  ) =>
  (server: Server, ctx: Context) => {
    const route = routesOn(server, ctx, { tag: 'Site' })
    let last: { settings: Settings; advertisements: object[]; pages: object; views: Views } | undefined

    route('GET /bootstrappers', {
      operationId: 'getBootstrap',
      summary: 'Read the initial configuration of a client',
      access: 'public',
      reply: { 200: Bootstrap },
      handler: async ({ uncached }) => {
        const [settings, advertisements, pages] = await Promise.all([
          readSettings(ctx),
          findAdvertisements(ctx),
          readPages(ctx),
        ])
        // Every page of the site reads the view, which changes only with its cached sources.
        if (last?.settings !== settings || last.advertisements !== advertisements || last.pages !== pages)
          last = { settings, advertisements, pages, views: {} }
        const reads = language(uncached().request)
        last.views[reads] ??= bootstrapView(
          settings,
          advertisements,
          uploadLimits(ctx),
          ctx.config,
          reads,
          pages[reads].map(pageLink),
        )
        return last.views[reads]
      },
    })
  }

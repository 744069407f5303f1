import type { Static } from '#platform/schema.ts'
import { VERSION } from '#platform/version.ts'
import type { Settings } from '../registry.ts'
import type { Bootstrap } from './schema.ts'

/** Fewer items than this mean the last page (conventions-14). */
const PAGE_SIZE = 15

/** How clients call the ways to register; the short names are those of earlier settings. */
const METHODS = {
  all: 'all',
  mail: 'mail-only',
  mobile: 'mobile-only',
  'mail-only': 'mail-only',
  'mobile-only': 'mobile-only',
} as const

/** Without nulls and without empty texts, lists and objects, at every depth; false and 0 stay (sign-in-1). */
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

/** The settings that clients read, under the names that they know (sign-in-1). */
export function bootstrapView(settings: Settings, advertisements: object[]): Static<typeof Bootstrap> {
  const hots = settings['locations:hots']
  const contribute = {
    pay: settings['news:contribute:pay'],
    verified: settings['news:contribute:verified'],
  }
  const all = {
    'server:version': VERSION,
    limit: PAGE_SIZE,
    'pay-validate-user-password': settings['pay-validate-user-password'],
    site: {
      about_url: settings['site:about-url'],
      anonymous: { status: settings['site:anonymous'], rule: settings['site:anonymous-rule'] },
      client_email: settings['site:client-email'],
      gold: { status: settings['site:gold'] },
      reserved_nickname: settings['site:reserved-nickname'],
      reward: { status: settings['site:reward'], amounts: settings['site:reward-amounts'] },
      user_invite_template: settings['site:user-invite-template'],
      currency_name: { name: settings['site:currency-name'], unit: settings['site:currency-unit'] },
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
    'question:apply_amount': settings['question:apply-amount'],
    'question:onlookers_amount': settings['question:onlookers-amount'],
    'question:anonymity_rule': settings['question:anonymity-rule'],
    'question:reward_rule': settings['question:reward-rule'],
    'group:create': { need_verified: settings['group:need-verified'] },
    'group:reward': { status: settings['site:reward'] },
  }
  const { registerSettings, feed, ...rest } = withoutEmpty(all) as Static<typeof Bootstrap>
  return {
    ...rest,
    // Read without a look whether they are there (sign-in-1).
    registerSettings: { ...registerSettings, content: settings['register:content'] },
    feed: { ...feed, items: settings['feed:items'] },
  }
}

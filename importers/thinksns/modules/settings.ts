import { Ajv } from 'ajv'
import { type PhpValue, readPhp } from '#lib/php-serialize.ts'
import { ACCOUNT_SETTINGS } from '#modules/accounts/index.ts'
import { AREA_SETTINGS } from '#modules/areas/index.ts'
import { CHECKIN_SETTINGS } from '#modules/checkins/index.ts'
import { FEED_SETTINGS } from '#modules/feeds/index.ts'
import { LEDGER_SETTINGS } from '#modules/ledger/index.ts'
import { NEWS_SETTINGS } from '#modules/news/index.ts'
import { QUESTION_SETTINGS } from '#modules/questions/index.ts'
import { REWARD_SETTINGS } from '#modules/rewards/index.ts'
import { SITE_SETTINGS, updateSettings } from '#modules/settings/index.ts'
import { TOPIC_SETTINGS } from '#modules/topics/index.ts'
import type { Tx } from '#platform/database'
import { type Batch, defineTable, type ImportStep } from '../database/table.ts'
import { custom } from '../database/vanishing.ts'
import { findTargets } from '../database/write.ts'

const SETTINGS = {
  ...SITE_SETTINGS,
  ...ACCOUNT_SETTINGS,
  ...AREA_SETTINGS,
  ...CHECKIN_SETTINGS,
  ...FEED_SETTINGS,
  ...LEDGER_SETTINGS,
  ...NEWS_SETTINGS,
  ...QUESTION_SETTINGS,
  ...REWARD_SETTINGS,
  ...TOPIC_SETTINGS,
}

type SettingName = keyof typeof SETTINGS
type Values = Partial<Record<SettingName, unknown>>
type Reading = (value: unknown) => Values

const part = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined
const ON = [true, 1, '1', 'on', 'true', 'yes']
const OFF = [false, 0, '0', '', 'off', 'false', 'no']

// Each reading returns a value of another type as it is, which the schema of the setting then rejects.
const flag = (value: unknown) =>
  value === undefined || value === null
    ? undefined
    : ON.includes(value as string)
      ? true
      : OFF.includes(value as string)
        ? false
        : value
const whole = (value: unknown) => {
  if (value === undefined || value === null || value === '') return undefined
  const number =
    typeof value === 'number' || typeof value === 'string' ? Math.trunc(Number(value)) : Number.NaN
  return Number.isFinite(number) ? number : value
}
const text = (value: unknown) =>
  value === undefined || value === null ? undefined : typeof value === 'number' ? String(value) : value
const list = (value: unknown): unknown[] | undefined =>
  Array.isArray(value)
    ? value
    : typeof value === 'object' && value !== null
      ? Object.values(value)
      : typeof value === 'string' && value !== ''
        ? value.split(',')
        : undefined
const numbers = (value: unknown) =>
  list(value)
    ?.map((each) => whole(each))
    .filter((each) => typeof each === 'number' && each > 0)
const texts = (value: unknown) => list(value)?.map(String)
const inText = (value: unknown) => (typeof value === 'string' ? value : list(value)?.join(','))

const one =
  (name: SettingName, read: (value: unknown) => unknown): Reading =>
  (value) => ({
    [name]: read(value),
  })

const READINGS: Record<string, Reading> = {
  'common hots_area': one('locations:hots', (value) => places(value)),
  'checkin switch': one('checkin:switch', flag),
  'checkin attach-balance': one('checkin:balance', whole),
  'currency cash': (value) => ({
    'currency:cash': flag(part(value, 'status')),
    'currency:cash-rule': text(part(value, 'rule')),
  }),
  'currency recharge': (value) => ({
    'currency:recharge': flag(part(value, 'status')),
    'currency:recharge-rule': text(part(value, 'rule')),
  }),
  'currency rule': one('currency:rule', text),
  'currency settings': (value) => ({
    'currency:recharge-ratio': whole(part(value, 'recharge-ratio')),
    'currency:recharge-options': inText(part(value, 'recharge-options')),
    'currency:recharge-min': whole(part(value, 'recharge-min')),
    'currency:recharge-max': whole(part(value, 'recharge-max')),
    'currency:cash-min': whole(part(value, 'cash-min')),
    'currency:cash-max': whole(part(value, 'cash-max')),
  }),
  'feed pay-items': one('feed:items', numbers),
  'feed pay-switch': one('feed:paycontrol', flag),
  'feed pay-word-limit': one('feed:pay-word-limit', whole),
  'feed reward-switch': one('feed:reward', flag),
  'feed topic:need-review': one('feed:topic:need-review', flag),
  'news contribute': (value) => ({
    'news:contribute:pay': flag(part(value, 'pay')),
    'news:contribute:verified': flag(part(value, 'verified')),
  }),
  'news contribute-amount': one('news:pay-contribute', whole),
  'pay validate-password': one('pay-validate-user-password', flag),
  'site about-url': one('site:about-url', text),
  'site client-email': one('site:client-email', text),
  'site gold-switch': one('site:gold', flag),
  'site reward': (value) => ({
    'site:reward': flag(part(value, 'status')),
    'site:reward-amounts': inText(part(value, 'amounts')),
  }),
  'user anonymous': (value) => ({
    'site:anonymous': flag(part(value, 'status')),
    'site:anonymous-rule': text(part(value, 'rule')),
  }),
  'user invite-template': one('site:user-invite-template', text),
  'user keep-username': one('site:reserved-nickname', text),
  'user register-setting': (value) => ({
    'register:show-terms': flag(part(value, 'showTerms')),
    'register:method': text(part(value, 'method')),
    'register:content': text(part(value, 'content')),
    'register:fixed': text(part(value, 'fixed')),
    'register:type': text(part(value, 'type')),
  }),
  'wallet cash-min-amount': one('wallet:cash-min-amount', whole),
  'wallet cash-status': one('wallet:cash', (value) => flag(part(value, 'status') ?? value)),
  'wallet cash-types': one('wallet:cash-types', texts),
  'wallet labels': one('wallet:labels', numbers),
  'wallet ratio': one('wallet:ratio', whole),
  'wallet recharge-status': one('wallet:recharge', (value) => flag(part(value, 'status') ?? value)),
  'wallet rule': one('wallet:rule', text),
  'wallet transform-status': one('wallet:transform-currency', (value) => flag(part(value, 'open') ?? value)),
  'question apply_amount': one('question:apply-amount', whole),
  'question onlookers_amount': one('question:onlookers-amount', whole),
}

const OLD_NAMES: Record<string, string> = {
  'wallet cash': 'wallet cash-types',
  'wallet recharge': 'wallet labels',
  'question apply-amount': 'question apply_amount',
  'question onlookers-amount': 'question onlookers_amount',
}

const places = (value: unknown) =>
  list(value)
    ?.map((each, at) => ({
      name: text(part(each, 'name') ?? each),
      sort: Number(whole(part(each, 'sort')) ?? -at) || 0,
    }))
    .sort((a, b) => b.sort - a.sort)
    .flatMap(({ name }) => name ?? [])

const isCut = (value: unknown, read: unknown) =>
  Array.isArray(read)
    ? read.length < (list(value)?.length ?? 0)
    : typeof read === 'number' && typeof value !== 'object' && Number(value) !== read

/** Settings that the source may change. */
const CHANGED = [
  ...Object.values(READINGS).flatMap((read) => Object.keys(read(undefined))),
  'register:role',
  'site:currency-name',
  'site:currency-unit',
]

/** Resets all settings first, because a later run leaves the usual value of a setting that the source removed. */
const resetSettings: ImportStep = {
  name: 'usual settings',
  run: ({ transaction }) =>
    transaction((tx) => tx`delete from settings where name = any(${[...new Set(CHANGED)]})`),
}

const RESET = custom('reset', {})

const REGISTER_ROLE = 'user register-role'
const ajv = new Ajv({ strict: false })

async function save(tx: Tx, row: object, values: Values, batch: Batch, value?: unknown): Promise<void> {
  const kept: Values = {}
  const column = 'contents' in row ? 'contents' : 'value'
  for (const [name, read] of Object.entries(values) as [SettingName, unknown][]) {
    if (read === undefined) continue
    if (!ajv.validate(SETTINGS[name].schema, read)) {
      const usual = SETTINGS[name].standard
      batch.mend(row, `${name} does not support this value: set to its default`, { column, new: usual })
      continue
    }
    kept[name] = read
    if (isCut(value, read)) batch.mend(row, `${name} reduced to what Kith supports`, { column, new: read })
  }
  await updateSettings(batch.ctx, tx, kept)
}

const NO_EQUAL = 'Kith has no such setting'
const ENVIRONMENT = 'set by environment variables in Kith'

const PAYMENT_REASONS: Record<string, string> = {
  'wallet recharge-types':
    'not imported: configure Alipay, WeChat Pay or Stripe by environment variables (docs/payments.md), then list these payment methods in wallet:recharge-types',
  'wallet ping-plus-plus':
    'Ping++ is not supported: configure Alipay, WeChat Pay or Stripe by environment variables (docs/payments.md)',
}

async function writeSetting(
  tx: Tx,
  row: { namespace: string | null; name: string | null },
  value: PhpValue | undefined,
  batch: Batch,
): Promise<void> {
  const given = `${row.namespace} ${row.name}`
  const name = OLD_NAMES[given] ?? given
  const reading = READINGS[name]
  if (value === undefined) batch.leaveOut(row, 'the value cannot be read')
  else if (name === REGISTER_ROLE) {
    const old = Number(whole(value)) || 0
    const targets = await findTargets(tx, 'roles', [old])
    const id = Number(targets.get(old) ?? 0)
    const [role] = await tx<{ name: string }[]>`select name from roles where id = ${id}`
    if (role) await save(tx, row, { 'register:role': role.name }, batch)
    else batch.leaveOut(row, 'the role no longer exists')
  } else if (reading) {
    const read = reading(value)
    const isEmpty =
      value === null || value === '' || (typeof value === 'object' && Object.keys(value).length === 0)
    if (!isEmpty && Object.values(read).every((each) => each === undefined))
      batch.leaveOut(row, 'the value cannot be read')
    else await save(tx, row, read, batch, value)
  } else
    batch.leaveOut(
      row,
      PAYMENT_REASONS[name] ?? (/^(user vendor|file-storage)/.test(name) ? ENVIRONMENT : NO_EQUAL),
    )
}

function readPlain(value: string | null): PhpValue {
  try {
    return JSON.parse(value ?? 'null') as PhpValue
  } catch {
    return value
  }
}

const commonConfigs = defineTable({
  table: 'common_configs',
  by: null,
  into: null,
  key: ['namespace', 'name'],
  gone: RESET,
  reread: 'always',
  columns: { namespace: 'text', name: 'text', value: 'text' },
  async write(tx, rows, batch) {
    for (const row of rows) await writeSetting(tx, row, readPlain(row.value), batch)
  },
})

const settings = defineTable({
  table: 'settings',
  by: null,
  into: null,
  key: ['namespace', 'name'],
  gone: RESET,
  reread: 'always',
  columns: { namespace: 'text', name: 'text', contents: 'text' },
  async write(tx, rows, batch) {
    for (const row of rows) await writeSetting(tx, row, readPhp(row.contents ?? 'N;'), batch)
  },
})

const currencyTypes = defineTable({
  table: 'currency_types',
  by: null,
  into: null,
  key: ['id'],
  gone: RESET,
  reread: 'always',
  columns: { id: 'int', name: 'text', unit: 'text' },
  async write(tx, rows, batch) {
    for (const row of rows) {
      if (row.id !== 1) batch.leaveOut(row, 'unsupported currency')
      else
        await save(
          tx,
          row,
          { 'site:currency-name': row.name ?? undefined, 'site:currency-unit': row.unit ?? undefined },
          batch,
        )
    }
  },
})

/**
 * Imports old settings first, so that current settings overwrite them. Runs after the import of roles,
 * because a setting references a role.
 */
export const settingTables = [resetSettings, commonConfigs, settings, currencyTypes]

import { type PhpValue, readPhp } from '#lib/php-serialize.ts'
import type { Sql } from '#platform/database'

type Kind = 'flag' | 'number' | 'text' | 'numbers' | 'texts' | 'places' | 'role'

/** Key of the source, part of its value if it has parts, and setting of Kith. */
const PAIRS: [key: string, part: string | null, name: string, kind: Kind][] = [
  ['common/hots_area', null, 'locations:hots', 'places'],
  ['checkin/switch', null, 'checkin:switch', 'flag'],
  ['checkin/attach-balance', null, 'checkin:balance', 'number'],
  ['currency/cash', 'status', 'currency:cash', 'flag'],
  ['currency/cash', 'rule', 'currency:cash-rule', 'text'],
  ['currency/recharge', 'status', 'currency:recharge', 'flag'],
  ['currency/recharge', 'rule', 'currency:recharge-rule', 'text'],
  ['currency/rule', null, 'currency:rule', 'text'],
  ['currency/settings', 'recharge-ratio', 'currency:recharge-ratio', 'number'],
  ['currency/settings', 'recharge-options', 'currency:recharge-options', 'texts'],
  ['currency/settings', 'recharge-min', 'currency:recharge-min', 'number'],
  ['currency/settings', 'recharge-max', 'currency:recharge-max', 'number'],
  ['currency/settings', 'cash-min', 'currency:cash-min', 'number'],
  ['currency/settings', 'cash-max', 'currency:cash-max', 'number'],
  ['feed/pay-items', null, 'feed:items', 'numbers'],
  ['feed/pay-switch', null, 'feed:paycontrol', 'flag'],
  ['feed/pay-word-limit', null, 'feed:pay-word-limit', 'number'],
  ['feed/reward-switch', null, 'feed:reward', 'flag'],
  ['feed/topic:need-review', null, 'feed:topic:need-review', 'flag'],
  ['news/contribute', 'pay', 'news:contribute:pay', 'flag'],
  ['news/contribute', 'verified', 'news:contribute:verified', 'flag'],
  ['news/contribute-amount', null, 'news:pay-contribute', 'number'],
  ['pay/validate-password', null, 'pay-validate-user-password', 'flag'],
  ['site/about-url', null, 'site:about-url', 'text'],
  ['site/client-email', null, 'site:client-email', 'text'],
  ['site/gold-switch', null, 'site:gold', 'flag'],
  ['site/reward', 'status', 'site:reward', 'flag'],
  ['site/reward', 'amounts', 'site:reward-amounts', 'texts'],
  ['user/anonymous', 'status', 'site:anonymous', 'flag'],
  ['user/anonymous', 'rule', 'site:anonymous-rule', 'text'],
  ['user/invite-template', null, 'site:user-invite-template', 'text'],
  ['user/keep-username', null, 'site:reserved-nickname', 'text'],
  ['user/register-setting', 'showTerms', 'register:show-terms', 'flag'],
  ['user/register-setting', 'method', 'register:method', 'text'],
  ['user/register-setting', 'content', 'register:content', 'text'],
  ['user/register-setting', 'fixed', 'register:fixed', 'text'],
  ['user/register-setting', 'type', 'register:type', 'text'],
  ['user/register-role', null, 'register:role', 'role'],
  ['wallet/cash-min-amount', null, 'wallet:cash-min-amount', 'number'],
  ['wallet/cash-status', 'status?', 'wallet:cash', 'flag'],
  ['wallet/cash-types', null, 'wallet:cash-types', 'texts'],
  ['wallet/cash', null, 'wallet:cash-types', 'texts'],
  ['wallet/labels', null, 'wallet:labels', 'numbers'],
  ['wallet/recharge', null, 'wallet:labels', 'numbers'],
  ['wallet/ratio', null, 'wallet:ratio', 'number'],
  ['wallet/recharge-status', 'status?', 'wallet:recharge', 'flag'],
  ['wallet/rule', null, 'wallet:rule', 'text'],
  ['wallet/transform-status', 'open?', 'wallet:transform-currency', 'flag'],
  ['question/apply_amount', null, 'question:apply-amount', 'number'],
  ['question/apply-amount', null, 'question:apply-amount', 'number'],
  ['question/onlookers_amount', null, 'question:onlookers-amount', 'number'],
  ['question/onlookers-amount', null, 'question:onlookers-amount', 'number'],
  ['currency/type', 'name', 'site:currency-name', 'text'],
  ['currency/type', 'unit', 'site:currency-unit', 'text'],
]

type Given = { table: string; key: string; value: PhpValue | undefined }
type Query = (statement: string) => Promise<Record<string, unknown>[]>

const isObject = (value: unknown): value is Record<string, PhpValue> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A part that ends with `?` may be missing, and then the value itself counts. */
function partOf(value: PhpValue | undefined, part: string | null): PhpValue | undefined {
  if (part === null) return value
  const name = part.replace('?', '')
  const found = isObject(value) ? value[name] : undefined
  return found ?? (part.endsWith('?') ? value : undefined)
}

const itemsOf = (value: PhpValue): PhpValue[] =>
  Array.isArray(value) ? value : isObject(value) ? Object.values(value) : String(value).split(',')

const rank = (place: PhpValue, at: number) => Number((isObject(place) ? place.sort : null) ?? -at) || 0

/** Writes values of both sides in one form. Returns undefined for a value that sets nothing. */
function formOf(value: PhpValue | undefined, kind: Kind): string | undefined {
  if (value === undefined || value === null) return undefined
  switch (kind) {
    case 'flag':
      return /^(1|true|on|yes)$/.test(`${value}`)
        ? 'on'
        : /^(0|false|off|no|)$/.test(`${value}`)
          ? 'off'
          : '?'
    case 'number':
      return value === '' ? undefined : `${Math.trunc(Number(value))}`
    case 'numbers': {
      const items = value === '' ? [] : itemsOf(value).map((each) => Math.trunc(Number(each)))
      return value === '' ? undefined : items.filter((each) => each > 0).join()
    }
    case 'texts':
      return value === '' ? undefined : itemsOf(value).join()
    case 'places':
      return value === ''
        ? undefined
        : itemsOf(value)
            .map((place, at) => ({ name: isObject(place) ? place.name : place, rank: rank(place, at) }))
            .toSorted((one, other) => other.rank - one.rank)
            .map(({ name }) => name)
            .join()
    default:
      return isObject(value) || Array.isArray(value) ? '?' : `${value}`
  }
}

function parse(text: string | null): PhpValue {
  try {
    return JSON.parse(text ?? 'null')
  } catch {
    return text
  }
}

async function readGiven(query: Query, has: (table: string) => boolean): Promise<Given[]> {
  const text = (value: unknown) => (value === null || value === undefined ? null : String(value))
  const given: Given[] = []
  for (const [table, column, read] of [
    ['common_configs', 'value', parse],
    ['settings', 'contents', (contents: string | null) => readPhp(contents ?? 'N;')],
  ] as const)
    if (has(table))
      for (const row of await query(
        `select namespace, name, \`${column}\` as value from {${table}} order by namespace, name`,
      ))
        given.push({ table, key: `${row.namespace}/${row.name}`, value: read(text(row.value)) })
  if (has('currency_types'))
    for (const row of await query('select name, unit from {currency_types} where id = 1'))
      given.push({
        table: 'currency_types',
        key: 'currency/type',
        value: { name: text(row.name), unit: text(row.unit) },
      })
  if (!has('roles')) return given
  const roles = new Map(
    (await query('select id, name from {roles}')).map(({ id, name }) => [`${id}`, `${name}`]),
  )
  return given.map((each) =>
    each.key === 'user/register-role' ? { ...each, value: roles.get(String(each.value)) } : each,
  )
}

/**
 * Compares the settings that the source may set. The value of a later table applies before that of an earlier one. A
 * value that the report names does not apply.
 */
export async function compareSettings(
  sql: Sql,
  query: Query,
  has: (table: string) => boolean,
): Promise<{ same: number; told: number; differing: string[] }> {
  const rows = await sql<{ name: string; value: PhpValue }[]>`select name, value from settings`
  const here = new Map(rows.map(({ name, value }) => [name, value]))
  const notes = await sql<{ line: string }[]>`
    select distinct case source_table when 'currency_types' then 'currency_types currency/type'
      else concat(source_table, ' ', row_key) end as line
    from import_notes where source_table in ('common_configs', 'settings')
      or source_table = 'currency_types' and row_key = '1'`
  const reported = new Set(notes.map(({ line }) => line))
  const given = await readGiven(query, has)
  const found = { same: 0, told: 0, differing: [] as string[] }
  for (const [name, pairs] of Map.groupBy(PAIRS, ([, , name]) => name)) {
    const kind = pairs[0]?.[3] ?? 'text'
    const ours = formOf(here.get(name), kind)
    const values = given.flatMap(({ table, key, value }) =>
      pairs.flatMap(([from, part]) => {
        const form = from === key ? formOf(partOf(value, part), kind) : undefined
        return form === undefined ? [] : [{ form, isTold: reported.has(`${table} ${key}`) }]
      }),
    )
    let at = values.length - 1
    while (values[at]?.isTold && values[at]?.form !== ours) at -= 1
    if (values[at]?.form !== ours) found.differing.push(name)
    else if (at < values.length - 1) found.told += 1
    else if (ours !== undefined) found.same += 1
  }
  return found
}

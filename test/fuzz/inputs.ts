import type { Dice } from '#test/fixtures/dice.ts'
import { HOSTILE, HOSTILE_SEGMENTS } from '#test/fixtures/hostile.ts'

export type Schema = {
  $ref?: string
  type?: string | string[]
  enum?: unknown[]
  anyOf?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  pattern?: string
  format?: string
}

const TEXTS = [
  'a',
  'Mine',
  'some words of text',
  '很好的一天',
  'An 😀 and é',
  '12',
  '<b>bold</b>',
  '@someone hi',
  '100%_',
]
const KNOWN_IDS = 14

export type Inputs = {
  valid(schema: Schema, name: string): unknown
  /** Returns valid input, or input with random changes if `isSpoilt`. */
  body(schema: Schema, isSpoilt: boolean): unknown
  segment(): string
  hostile(): unknown
}

export function createInputs(dice: Dice, named: Record<string, Schema>): Inputs {
  const resolve = (schema: Schema): Schema =>
    schema.$ref === undefined ? schema : resolve(named[schema.$ref.split('/').at(-1) ?? ''] ?? {})

  const integer = ({ minimum = 0, maximum = 2 ** 31 }: Schema, name: string) => {
    const isId = maximum > 2 ** 40 && minimum <= 1
    if (isId || /id$|user$/.test(name)) return Math.max(minimum, 1 + dice.below(KNOWN_IDS))
    if (dice.roll() < 0.1) return dice.pick([minimum, maximum])
    return minimum + dice.below(Math.min(maximum - minimum, dice.pick([3, 30, 3000])) + 1)
  }

  const text = ({ minLength = 0, maxLength = 60, pattern }: Schema, name: string) => {
    if (pattern !== undefined) return 'd41d8cd98f00b204e9800998ecf8427e'
    const options = /mail/.test(name)
      ? ['someone@example.com', `fuzz${dice.below(500)}@example.com`]
      : /phone/.test(name)
        ? ['13800138000', `138${10_000_000 + dice.below(500)}`]
        : /url|link|avatar|image/.test(name)
          ? ['http://127.0.0.1:9/', 'https://example.com/a.png']
          : /(_at|time|date)$|^(start|end|begin)/.test(name)
            ? ['2026-01-02 03:04:05', '2026-01-02', '2036-05-05T00:00:00Z']
            : /^(ids?|user|users|topics|id_list)$/.test(name)
              ? ['1', '1,2,3', `${1 + dice.below(KNOWN_IDS)}`]
              : /password/.test(name)
                ? ['a password of tests', 'a second password']
                : name === 'subject'
                  ? ['Is this a question?', '这是问题吗？']
                  : [...TEXTS, `word${dice.below(100_000)}`]
    const chosen = dice.pick(options)
    const long = chosen.length < minLength ? chosen.padEnd(minLength, 'x') : chosen
    return dice.roll() < 0.02 ? 'y'.repeat(Math.min(maxLength, 4000)) : [...long].slice(0, maxLength).join('')
  }

  const valid = (given: Schema, name: string): unknown => {
    const schema = resolve(given)
    if (schema.enum) return dice.pick(schema.enum)
    if (schema.anyOf) return valid(dice.pick(schema.anyOf), name)
    const type = Array.isArray(schema.type) ? dice.pick(schema.type) : schema.type
    if (type === 'integer') return integer(schema, name)
    if (type === 'number') return integer(schema, name) + dice.pick([0, 0.25])
    if (type === 'boolean') return dice.roll() < 0.5
    if (type === 'null') return null
    if (type === 'string') return text(schema, name)
    if (type === 'array') {
      const { minItems = 0, maxItems = 3, items = {} } = schema
      const length = Math.min(maxItems, Math.max(minItems, dice.below(4)))
      return Array.from({ length }, () => valid(items, name))
    }
    if (type === 'object') return object(schema)
    return dice.pick(HOSTILE)
  }

  const object = ({ properties = {}, required = [] }: Schema) => {
    const share = dice.pick([0, 0.15, 0.5, 1])
    return Object.fromEntries(
      Object.entries(properties)
        .filter(([name]) => required.includes(name) || dice.roll() < share)
        .map(([name, schema]) => [name, valid(schema, name)]),
    )
  }

  return {
    valid,
    body(given, isSpoilt) {
      const schema = resolve(given)
      const made = valid(schema, '')
      if (!isSpoilt || typeof made !== 'object' || made === null || Array.isArray(made)) return made
      if (dice.roll() < 0.03) return dice.pick(HOSTILE)
      const spoilt: Record<string, unknown> = { ...made }
      const names = [...Object.keys(schema.properties ?? {}), 'unknown_field']
      for (let n = dice.pick([1, 1, 1, 2, 4]); n > 0; n -= 1) {
        const name = dice.pick(names)
        if (dice.roll() < 0.2) delete spoilt[name]
        else spoilt[name] = dice.pick(HOSTILE)
      }
      return spoilt
    },
    segment: () => dice.pick(HOSTILE_SEGMENTS),
    hostile: () => dice.pick(HOSTILE),
  }
}

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fieldName } from '#platform/field-names.ts'
import { compileInput, InputError } from './input.ts'

type Property = Record<string, unknown>

function read(property: Property, sent: unknown): unknown {
  const answer = compileInput({ type: 'object', properties: { field: property } })({ field: sent })
  if ('value' in answer) return (answer.value as { field?: unknown }).field
  assert.ok(answer.error instanceof InputError)
  const [[text] = []] = Object.values(answer.error.fields)
  return { refused: text?.en }
}

const refused = (en: string) => ({ refused: en })

test('trims text unless the schema is raw (conventions-20)', () => {
  const text = { type: 'string' }
  assert.equal(read(text, ' word '), 'word')
  assert.equal(read({ ...text, 'x-raw': true }, ' word '), ' word ')
})

test('treats empty text and null as absent unless the schema accepts the value (conventions-20)', () => {
  const text = { type: 'string' }
  assert.equal(read(text, ' '), undefined)
  assert.equal(read({ type: ['string', 'null'] }, ''), null)
  assert.equal(read({ ...text, 'x-empty': true }, ''), '')
  assert.equal(read(text, null), undefined)
  assert.equal(read({ type: ['string', 'null'] }, null), null)
})

test('names fields in Chinese messages in Chinese (conventions-8)', () => {
  const zh = (field: string, schema: object) => {
    const input = { type: 'object', properties: { [field]: schema }, required: [field] }
    const answer = compileInput(input)({ [field]: schema === TEXT ? undefined : [{}] })
    assert.ok('error' in answer && answer.error instanceof InputError)
    return Object.values(answer.error.fields).map(([text]) => text?.zh)
  }
  const TEXT = { type: 'string' }
  assert.deepEqual(zh('longitude', TEXT), ['经度不能为空。'])
  assert.deepEqual(zh('p256dh', TEXT), ['p256dh 不能为空。'])
  const item = { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] }
  assert.deepEqual(zh('images', { type: 'array', items: item }), ['图片.0.编号不能为空。'])
})

type Described = Record<string, unknown> & {
  $ref?: string
  properties?: Record<string, Described>
  items?: Described
  anyOf?: Described[]
}

test('names every field of every operation in Chinese, except technical ones (conventions-8)', () => {
  const { paths, components } = JSON.parse(readFileSync('openapi.json', 'utf8'))
  const fields = new Set<string>()
  const collect = (schema: Described | undefined, place: string): void => {
    const name = schema?.$ref?.split('/').at(-1)
    const {
      properties = {},
      items,
      anyOf = [],
    } = name === undefined ? (schema ?? {}) : components.schemas[name]
    for (const [key, part] of Object.entries(properties as Record<string, Described>)) {
      fields.add(place + key)
      collect(part, `${place}${key}.`)
    }
    for (const part of [items, ...anyOf]) if (part) collect(part, place)
  }
  for (const verbs of Object.values<Record<string, Described>>(paths))
    for (const { parameters = [], requestBody } of Object.values(verbs) as Described[]) {
      for (const { in: place, name } of parameters as Described[])
        if (place === 'query') fields.add(String(name))
      const { content = {} } = (requestBody ?? {}) as { content?: Record<string, { schema: Described }> }
      for (const { schema } of Object.values(content)) collect(schema, '')
    }
  assert.ok(fields.size > 380, `saw only ${fields.size}`)
  const technical = ['iss', 'keys.p256dh']
  const english = [...fields].filter((field) => /[a-z]/i.test(fieldName(field)) && !technical.includes(field))
  assert.deepEqual(english, [])
})

test('rejects a number in place of text', () => {
  assert.deepEqual(read({ type: 'string' }, 5), refused('The field field must be a string.'))
})

test('rejects text with NUL or a lone surrogate', () => {
  for (const sent of ['a\0b', '\ud800'])
    assert.deepEqual(read({ type: 'string' }, sent), refused('The field field must be a string.'))
})

test('accepts numbers sent as text (conventions-18)', () => {
  const integer = { type: 'integer' }
  assert.equal(read(integer, ' 7 '), 7)
  assert.equal(read(integer, 7), 7)
  assert.equal(read(integer, ''), undefined)
  assert.equal(read({ type: ['integer', 'null'] }, ''), null)
  for (const sent of ['7a', true, 7.5])
    assert.deepEqual(read(integer, sent), refused('The field field must be an integer.'))
  assert.equal(read({ type: 'number' }, '7.5'), 7.5)
})

test('accepts 1, 0 and words as booleans (conventions-18)', () => {
  const boolean = { type: 'boolean' }
  for (const sent of [1, '1', true, 'true']) assert.equal(read(boolean, sent), true)
  for (const sent of [0, '0', false, 'false']) assert.equal(read(boolean, sent), false)
  assert.equal(read(boolean, ''), undefined)
  assert.deepEqual(read(boolean, 'yes'), refused('The field field must be true or false.'))
})

test('accepts a comma-separated list when the schema allows it (conventions-19)', () => {
  const list = { type: 'array', items: { type: 'string' } }
  const commas = { ...list, 'x-list': true }
  assert.deepEqual(read(commas, 'a, b,,c'), ['a', 'b', 'c'])
  assert.deepEqual(read(commas, ['a,b', 'c']), ['a', 'b', 'c'])
  assert.deepEqual(read({ ...commas, items: { type: 'integer' } }, 7), [7])
  assert.deepEqual(read(list, ['a,b']), ['a,b'])
  for (const [property, sent] of [
    [commas, true],
    [commas, { a: 1 }],
    [list, 'a'],
    [list, 7],
  ] as const)
    assert.deepEqual(read(property, sent), refused('The field field must be a list.'))
})

test('drops undeclared fields of an object when its schema declares properties', () => {
  const object = { type: 'object', properties: { id: { type: 'integer' } } }
  assert.deepEqual(read(object, { id: '7', other: 1 }), { id: 7 })
  assert.deepEqual(read({ type: 'object' }, { other: 1 }), { other: 1 })
})

test('rejects lists, text and numbers in place of an object', () => {
  const object = { type: 'object', properties: { id: { type: 'integer' } } }
  for (const sent of [[], 'text', 5])
    assert.deepEqual(read(object, sent), refused('The field field must be an object.'))
})

test('converts a value to the first matching alternative of `anyOf`', () => {
  const either = { anyOf: [{ type: 'integer' }, { type: 'string' }] }
  assert.equal(read(either, '7'), 7)
  assert.equal(read(either, ' word '), 'word')
  const listOrText = { anyOf: [{ type: 'array', items: { type: 'integer' } }, { type: 'string' }] }
  assert.deepEqual(read(listOrText, ['7']), [7])
})

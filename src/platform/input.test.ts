import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compileInput, InputError } from '#platform/input.ts'

type Property = Record<string, unknown>

/** What becomes of a field as it was sent: the value that routes see, or the English sentence of its refusal. */
function read(property: Property, sent: unknown): unknown {
  const answer = compileInput({ type: 'object', properties: { field: property } })({ field: sent })
  if ('value' in answer) return (answer.value as { field?: unknown }).field
  assert.ok(answer.error instanceof InputError)
  const [[text] = []] = Object.values(answer.error.fields)
  return { refused: text?.en }
}

const refused = (en: string) => ({ refused: en })

test('texts are trimmed, and what is empty is absent or null (conventions-20)', () => {
  const text = { type: 'string' }
  assert.equal(read(text, ' word '), 'word')
  assert.equal(read({ ...text, 'x-raw': true }, ' word '), ' word ')
  assert.equal(read(text, ' '), undefined)
  assert.equal(read({ type: ['string', 'null'] }, ''), null)
  assert.equal(read({ ...text, 'x-empty': true }, ''), '')
  assert.equal(read(text, null), undefined)
  assert.equal(read({ type: ['string', 'null'] }, null), null)
  assert.deepEqual(read(text, 5), refused('The field field must be a string.'))
})

test('no text with NUL or half a character is taken', () => {
  for (const sent of ['a\0b', '\ud800'])
    assert.deepEqual(read({ type: 'string' }, sent), refused('The field field must be a string.'))
})

test('numbers may come as digits, and an empty one is absent (conventions-18)', () => {
  const integer = { type: 'integer' }
  assert.equal(read(integer, ' 7 '), 7)
  assert.equal(read(integer, 7), 7)
  assert.equal(read(integer, ''), undefined)
  assert.equal(read({ type: ['integer', 'null'] }, ''), null)
  for (const sent of ['7a', true, 7.5])
    assert.deepEqual(read(integer, sent), refused('The field field must be an integer.'))
  assert.equal(read({ type: 'number' }, '7.5'), 7.5)
})

test('true and false may come as 1 and 0 (conventions-18)', () => {
  const boolean = { type: 'boolean' }
  for (const sent of [1, '1', true]) assert.equal(read(boolean, sent), true)
  for (const sent of [0, '0', false]) assert.equal(read(boolean, sent), false)
  assert.equal(read(boolean, ''), undefined)
  assert.deepEqual(read(boolean, 'yes'), refused('The field field must be true or false.'))
})

test('a list may be one text with commas where it says so, and nothing else is one (conventions-19)', () => {
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

test('an object is no list, and one of any fields keeps them', () => {
  const object = { type: 'object', properties: { id: { type: 'integer' } } }
  assert.deepEqual(read(object, { id: '7', other: 1 }), { id: 7 })
  assert.deepEqual(read({ type: 'object' }, { other: 1 }), { other: 1 })
  for (const sent of [[], 'text', 5])
    assert.deepEqual(read(object, sent), refused('The field field must be an object.'))
})

test('of several forms the first that fits is taken', () => {
  const either = { anyOf: [{ type: 'integer' }, { type: 'string' }] }
  assert.equal(read(either, '7'), 7)
  assert.equal(read(either, ' word '), 'word')
  const listOrText = { anyOf: [{ type: 'array', items: { type: 'integer' } }, { type: 'string' }] }
  assert.deepEqual(read(listOrText, ['7']), [7])
})

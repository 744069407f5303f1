import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  codePointLength,
  cutCharacters,
  cutText,
  displayLength,
  escapeLike,
  foldText,
  grams,
  gramsOfQuery,
  nameKey,
} from './text.ts'

const anyText = fc.string({ unit: 'binary' })
/** Uses a small alphabet, so that random texts often contain each other. */
const tightText = fc
  .array(
    fc.constantFrom(
      'a',
      'B',
      'c',
      'é',
      '7',
      ' ',
      '　',
      '中',
      '文',
      'ß',
      'İ',
      'Σ',
      '😀',
      '🏽',
      'ﬁ',
      '가',
      '-',
    ),
  )
  .map((parts) => parts.join(''))

test('returns the same key for names that look the same', () => {
  assert.equal(nameKey('  Hello \t\n World '), 'hello world')
  assert.equal(nameKey('ＫＩＴＨ　１'), 'kith 1')
  assert.equal(nameKey('Straße'), nameKey('STRASSE'))
  assert.equal(nameKey('STRAẞE'), nameKey('straße'))
  assert.equal(nameKey('İstanbul'), 'istanbul')
  assert.equal(nameKey('ΟΔΟΣ'), nameKey('οδος'))
  assert.equal(nameKey('Cafe\u0301'), nameKey('café'))
  assert.equal(nameKey('ab\u200bcd\u00ad'), 'abcd')
  assert.equal(nameKey('\u200b \ufeff'), '')
  assert.notEqual(nameKey('中文'), nameKey('中丈'))
})

test('returns a name key unchanged when it is folded again', () => {
  fc.assert(fc.property(anyText, (text) => assert.equal(nameKey(nameKey(text)), nameKey(text))))
})

test('ignores case and Unicode composition in name keys', () => {
  for (let point = 0x20; point < 0x30000; point++) {
    if (point >= 0xd800 && point < 0xe000) continue
    const char = String.fromCodePoint(point)
    const key = nameKey(`x${char}x`)
    if (nameKey(key) !== key) assert.fail(`U+${point.toString(16)}: the key of the key differs`)
    for (const twin of [char.toUpperCase(), char.toLowerCase(), char.normalize('NFD')]) {
      if (nameKey(`x${twin}x`) !== key) assert.fail(`U+${point.toString(16)} differs from ${twin}`)
    }
  }
})

test('folds many combining marks on one letter in linear time', () => {
  // A quadratic scan would exceed the test timeout.
  assert.ok(foldText(`a${'\u0301\u0316'.repeat(500_000)}`).length > 0)
  assert.ok(foldText(`a${'\u0301\u0316\u200d'.repeat(500_000)}`).length > 0)
})

test('folds halfwidth voiced sound marks between combining marks in linear time', () => {
  // A quadratic scan would exceed the test timeout.
  for (const sound of ['\uff9e', '\uff9f'])
    assert.ok(foldText(`a${`${sound}\u0301`.repeat(500_000)}`).length > 0)
})

test('knows every letter that normalization sorts among combining marks', () => {
  const found: string[] = []
  for (let point = 0; point <= 0x10ffff; point++) {
    if (point >= 0xd800 && point < 0xe000) continue
    const char = String.fromCodePoint(point)
    const first = String.fromCodePoint(char.normalize('NFKD').codePointAt(0)!)
    const isSorted = `a\u0338${first}`.normalize('NFD') === `a${first}\u0338`.normalize('NFD')
    if (!/\p{M}/u.test(char) && isSorted) found.push(char)
  }
  assert.deepEqual(found, ['\uff9e', '\uff9f'])
})

test('finds all n-grams of a query in every text that contains the query', () => {
  const holds = (text: string, query: string) => {
    if (!nameKey(text).includes(nameKey(query))) return
    const have = new Set(grams(text))
    for (const gram of gramsOfQuery(query)) assert.ok(have.has(gram), `${gram} of ${query} in ${text}`)
  }
  fc.assert(fc.property(tightText, tightText, holds), { numRuns: 1000 })
  fc.assert(fc.property(anyText, anyText, anyText, (a, query, b) => holds(a + query + b, query)))
  fc.assert(fc.property(tightText, tightText, tightText, (a, query, b) => holds(a + query + b, query)))
})

test('returns at least one n-gram for every query with a visible character', () => {
  fc.assert(fc.property(anyText, (query) => gramsOfQuery(query).length > 0 === (nameKey(query) !== '')))
})

test('returns only the longest n-grams for a query', () => {
  assert.deepEqual(gramsOfQuery('中'), ['中'])
  assert.deepEqual(gramsOfQuery('中国'), ['中国'])
  assert.deepEqual(gramsOfQuery('中国人'), ['中国', '国人'])
  assert.deepEqual(gramsOfQuery('Abc'), ['abc'])
  assert.deepEqual(gramsOfQuery('abcd'), ['abc', 'bcd'])
  assert.deepEqual(gramsOfQuery('abc中'), ['abc', 'c中'])
  assert.deepEqual(gramsOfQuery('a b'), ['a', 'b'])
  assert.deepEqual(gramsOfQuery('a bc'), ['bc'])
  assert.deepEqual(gramsOfQuery('😀'), ['😀'])
  assert.deepEqual(gramsOfQuery('  '), [])
  assert.ok(gramsOfQuery('abcdefghijklmnopqrstuvwxyz').length <= 16)
})

test('excludes a text that contains only parts of the query', () => {
  const have = new Set(grams('Kith 社交网络 server'))
  for (const query of ['网社', '交社', 'kit社', 'hs', 'sever']) {
    assert.ok(!gramsOfQuery(query).every((gram) => have.has(gram)), query)
  }
  assert.deepEqual(grams(''), [])
})

test('escapes the wildcards and the escape character of LIKE', () => {
  assert.equal(escapeLike('50%_\\x'), '50\\%\\_\\\\x')
})

test('counts code points instead of code units', () => {
  assert.equal(codePointLength('a中😀'), 3)
  fc.assert(fc.property(anyText, (text) => codePointLength(text) === [...text].length))
})

test('counts ASCII letters, digits and underscores half in display length', () => {
  assert.equal(displayLength('ab_1'), 2)
  assert.equal(displayLength('a中'), 1.5)
  assert.equal(displayLength('- é😀'), 4)
  assert.equal(displayLength('a'.repeat(510)), 255)
})

test('truncates a text only between characters', () => {
  assert.equal(cutCharacters('a😀b', 2), 'a😀')
  assert.equal(cutCharacters('ab', 5), 'ab')
  fc.assert(
    fc.property(anyText, fc.nat(20), (text, n) => cutCharacters(text, n) === [...text].slice(0, n).join('')),
  )
})

test('cuts a text for readers between graphemes', () => {
  const family = '👨‍👩‍👧‍👦'
  for (const grapheme of [
    family,
    '🇨🇳',
    '👍🏽',
    '❤️',
    'e\u0301',
    '가\u11a8',
    '🏴\u{e0067}\u{e0062}\u{e007f}',
    'क्षि',
  ])
    for (let n = 4; n < 60; n += 1) {
      const cut = cutText(`abc ${grapheme.repeat(30)}`, n)
      const rest = cut.slice('abc '.length)
      assert.equal(rest, grapheme.repeat(rest.length / grapheme.length), `${grapheme} ${n}`)
      assert.ok(codePointLength(cut) <= n && codePointLength(cut) > n - codePointLength(grapheme))
    }
  assert.equal(cutText(`a${family}`, 8), `a${family}`)
})

test('divides a grapheme that is longer than the text may be', () => {
  assert.equal(cutText('👨‍👩‍👧‍👦', 1), '👨')
  assert.equal(cutText(`ab${'\u0301'.repeat(500)}`, 100), `ab${'\u0301'.repeat(98)}`)
  fc.assert(
    fc.property(anyText, fc.nat(20), (text, n) => cutCharacters(text, n).startsWith(cutText(text, n))),
  )
  fc.assert(
    fc.property(
      anyText,
      fc.integer({ min: 1, max: 20 }),
      (text, n) => text === '' || cutText(text, n) !== '',
    ),
  )
})

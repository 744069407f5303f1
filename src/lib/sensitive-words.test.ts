import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { compileWords, foldWithOffsets, type SensitiveWord } from './sensitive-words.ts'
import { foldText } from './text.ts'

const warning = (word: string): SensitiveWord => ({ word, type: 'warning', replace: null })
const replaced = (word: string, by: string | null): SensitiveWord => ({ word, type: 'replace', replace: by })

test('finds the first warning word regardless of letter case, full-width forms and invisible characters', () => {
  const words = compileWords([warning('Bad'), warning('坏事'), warning('ab c'), replaced('mild', '*')])
  assert.equal(words.check('a BAD thing'), 'Bad')
  assert.equal(words.check('ｂａｄ'), 'Bad')
  assert.equal(words.check('b\u200ba\u00add'), 'Bad')
  assert.equal(words.check('做坏事 bad'), '坏事')
  assert.equal(words.check('AB　C'), 'ab c')
  assert.equal(words.check('mild b ad'), undefined)
  assert.equal(words.check(''), undefined)
})

test('replaces only words of type `replace`', () => {
  const words = compileWords([
    replaced('bad', '***'),
    replaced('badly', 'so'),
    replaced('坏', null),
    warning('x'),
  ])
  assert.equal(words.replace('Very BadLy, Ｂａｄ İß坏坏 x'), 'Very so, *** İß x')
  assert.equal(words.replace('\u00ad@bad\u00ad'), '\u00ad@***\u00ad')
  assert.equal(words.replace('nothing here'), 'nothing here')
})

test('does not search a replacement for sensitive words', () => {
  assert.equal(compileWords([replaced('a', 'aa'), replaced('aa', 'b')]).replace('aaa'), 'baa')
})

test('distinguishes letters with and without combining marks', () => {
  const words = compileWords([warning('cafe'), warning('가'), warning('é')])
  assert.equal(words.check('caf\u00e8'), undefined)
  assert.equal(words.check('cafe\u0300'), undefined)
  assert.equal(words.check('각'), undefined)
  assert.equal(words.check('E\u0301'), 'é')
})

test('finds nothing when all listed words are blank', () => {
  const words = compileWords([warning(''), replaced('\u200b', 'x')])
  assert.equal(words.check('a\u200b'), undefined)
  assert.equal(words.replace('a\u200b'), 'a\u200b')
})

const letters = [
  'a',
  'B',
  'b',
  'ß',
  's',
  'İ',
  'i',
  'ﬁ',
  'f',
  '坏',
  '事',
  '😀',
  'ａ',
  'Σ',
  '\u0301',
  '\u200b',
  ' ',
  '㎏',
  'k',
]
const piece = (max: number) =>
  fc.array(fc.constantFrom(...letters), { maxLength: max }).map((list) => list.join(''))
const list = fc.array(fc.tuple(piece(4), piece(2)), { maxLength: 8 })

/** Tries every word at every position, as a reference implementation. */
function slowReplace(text: string, words: [string, string][]): string {
  const { folded, starts, ends } = foldWithOffsets(text)
  let result = ''
  let done = 0
  for (let at = 0; at < folded.length; ) {
    const fitting = words
      .map(([word, by]) => ({ key: foldWithOffsets(word).folded, by }))
      .filter(({ key }) => key !== '' && folded.startsWith(key, at))
    const longest = fitting.find(({ key }) => fitting.every((other) => other.key.length <= key.length))
    if (!longest) {
      at++
      continue
    }
    if (starts[at]! >= done) {
      result += text.slice(done, starts[at]) + longest.by
      done = ends[at + longest.key.length - 1]!
    }
    at += longest.key.length
  }
  return result + text.slice(done)
}

test('replaces words like the reference implementation', () => {
  fc.assert(
    fc.property(list, piece(30), (words, text) => {
      const compiled = compileWords(words.map(([word, by]) => replaced(word, by)))
      assert.equal(compiled.replace(text), slowReplace(text, words))
    }),
    { numRuns: 3000 },
  )
})

test('finds the warning word that appears first in the text', () => {
  fc.assert(
    fc.property(list, piece(30), (words, text) => {
      const { folded } = foldWithOffsets(text)
      const keys = words.map(([word]) => foldWithOffsets(word).folded).filter((key) => key !== '')
      const found = compileWords(words.map(([word]) => warning(word))).check(text)
      if (found === undefined) assert.ok(!keys.some((key) => folded.includes(key)))
      else {
        const first = Math.min(...keys.map((key) => folded.indexOf(key)).filter((at) => at >= 0))
        assert.equal(folded.indexOf(foldWithOffsets(found).folded), first)
      }
    }),
    { numRuns: 3000 },
  )
})

test('folds common characters the same with and without the fast path', () => {
  for (let unit = 0; unit < 0xa000; unit++) {
    const char = String.fromCharCode(unit)
    if (foldWithOffsets(char).folded !== foldText(char)) assert.fail(`U+${unit.toString(16)}`)
  }
})

test('finds one of 10,000 listed words at the end of a long text', () => {
  const words = Array.from({ length: 10_000 }, (_, i) => warning(`word${i}x`))
  const compiled = compileWords(words)
  assert.equal(compiled.check(`${'word9 '.repeat(50_000)}word77x`), 'word77x')
})

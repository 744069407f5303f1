import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { codePointLength } from '../text.ts'
import { plainText } from './parse.ts'

const shown = (markdown: string) => plainText(markdown, 200)

test('removes inline markup but not the text inside the markup', () => {
  assert.equal(shown('Hello **bold** *it* ***a** b* ~~gone~~ `co*de*`'), 'Hello bold it a b gone co*de*')
  assert.equal(shown('中文**强调**文字'), '中文强调文字')
  assert.equal(
    shown('see [link **b**](http://x/(a)_b "t") and [t][ref]\n\n[ref]: http://y'),
    'see link b and t',
  )
  assert.equal(shown('<https://a.b/c> <a@b.c>'), 'https://a.b/c a@b.c')
})

test('keeps characters that are not markup', () => {
  assert.equal(
    shown('snake_case_x 2 * 3 5*3 a < b #话题# [x] (y) @!'),
    'snake_case_x 2 * 3 5*3 a < b #话题# [x] (y) @!',
  )
  assert.equal(shown('\\*x\\* user@!x | y ~ z'), '*x* user@!x | y ~ z')
})

test('removes images, including uploads', () => {
  assert.equal(shown('a ![alt](http://x/y.png) b @![alt](12)@![](13) c ![x][y]\n\n[y]: http://x'), 'a b c')
  assert.equal(shown('[![alt](http://x/i)](http://x/u) after'), 'after')
})

test('keeps an unclosed bracket as text', () => {
  assert.equal(shown('\n(`]`)!['), '(])![')
  assert.equal(shown('\n[`]`](x)!['), ']![')
  assert.equal(shown('a(b)['), 'a(b)[')
  assert.equal(shown('\n(a)@!['), '(a)@![')
})

test('removes the markup of Markdown blocks', () => {
  assert.equal(
    shown('# Title\n\n> - quoted\n---\nfoo\n===\n- [x] done\n1. one'),
    'Title quoted foo ☑ done 1. one',
  )
  assert.equal(shown('```js\nlet a = `1` < *2*\n```\nafter'), 'let a = `1` < *2* after')
  assert.equal(shown('| a | b |\n|---|:-:|\n| 1 | 2 |'), 'a b 1 2')
  assert.equal(shown('[id]: http://x\ntext'), 'text')
})

test('removes tags, comments and scripts', () => {
  assert.equal(shown('<p>a</p><p>b</p><b>c</b>d<br/>e'), 'a b cd e')
  assert.equal(shown('x<script>alert(1)</script>y <!-- c --> z <STYLE>p{}</style>'), 'xy z')
  assert.equal(shown('a &amp; b &#65; &#x42; &nbsp; &unknown;'), 'a & b A B &unknown;')
})

test('returns no text that a browser parses as a tag', () => {
  for (const text of ['<<script>script>alert(1)', '&lt;img src=x&gt;', '\\<b\\>', '`<img>`', '<img src=x']) {
    assert.doesNotMatch(shown(text), /<[a-z/!?]/i)
  }
  const pieces = fc.constantFrom(
    '<',
    '>',
    '!',
    '[',
    ']',
    '(',
    ')',
    '`',
    '*',
    '_',
    '\\',
    '&lt;',
    'a',
    '/',
    ' ',
    '\n',
    '@',
    '-',
  )
  fc.assert(
    fc.property(fc.array(pieces), fc.nat(20), (parts, n) => {
      const text = plainText(parts.join(''), n)
      assert.doesNotMatch(text, /<[a-z/!?]/i)
      assert.ok(codePointLength(text) <= n)
      assert.equal(text, text.trim())
    }),
    { numRuns: 1000 },
  )
})

test('returns plain words unchanged', () => {
  const words = fc.array(fc.stringMatching(/^[a-z0-9中文é]{1,8}$/)).map((list) => list.join(' '))
  fc.assert(fc.property(words, (text) => assert.equal(plainText(text, 1000), text)))
})

test('truncates plain text only between characters', () => {
  assert.equal(plainText('😀😀😀', 2), '😀😀')
  assert.equal(plainText('ab cd', 3), 'ab')
  assert.equal(plainText('text', 0), '')
})

test('follows links whose targets stand at the end of a long text', () => {
  const text = `See [the tides][t]. ${'Water. '.repeat(1000)}\n\n[t]: https://e.org/tides`
  assert.equal(plainText(text, 20), 'See the tides. Water')
})

test('cuts plain text between graphemes, also where the read part of a long text ends', () => {
  const family = '👨‍👩‍👧‍👦'
  assert.equal(plainText(`ab ${family.repeat(40)}`, 100), `ab ${family.repeat(13)}`)
  const tags = '<i>'.repeat(100)
  for (let n = 1; n < 12; n += 1)
    assert.equal(
      plainText(`${tags}${'x'.repeat(n)}${`${tags}${family}`.repeat(20)}`, 7 + n),
      `${'x'.repeat(n)}${family}`,
    )
})

test('scans large unclosed markup in linear time', () => {
  const starts = [
    '![',
    '[',
    '](',
    '(',
    '<a',
    '<',
    '`',
    '*a',
    '_ a',
    '&#1',
    '<!--',
    '<script>',
    '> ',
    '[a](b',
    '`a``b',
    '***a_',
    '<a@',
    '[a]:',
  ]
  // A quadratic scan would exceed the test timeout.
  for (const start of starts)
    assert.ok(plainText(start.repeat(500_000 / start.length), 2_000_000).length >= 0)
})

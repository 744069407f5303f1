import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nameKey } from '../text.ts'
import { parseText } from './parse.ts'
import { findCandidates, linkReferences, type References } from './references.ts'
import type { TextNode } from './tree.ts'

const NONE: References = new Map()
const named = (...names: string[]): References =>
  new Map(names.map((name, n) => [name.toLowerCase(), { id: n + 1, name }]))
const linked = (text: string, users: References, topics = NONE) =>
  linkReferences(parseText(text, 'plain'), { users, topics })
const mention = (user: number, name: string): TextNode => ({ type: 'mention', user, name })
const topic = (id: number, name: string): TextNode => ({ type: 'topic', topic: id, name })
/** The first existing name of each candidate list. */
const meant = (text: string, ...names: string[]) =>
  findCandidates(parseText(text, 'plain'), '@', 50).map((list) => list.find((key) => names.includes(key)))

test('finds the longest existing name at a boundary of either script', () => {
  for (const before of ['', ' ', '你好', '，', '(', '（', '"', '_', 'é', '\n'])
    assert.deepEqual(meant(`${before}@小明今天去`, '小', '小明'), ['小明'], before)
  for (const before of ['a', 'Z', '0', 'me@'.slice(0, 2)])
    assert.deepEqual(meant(`${before}@ann`, 'ann'), [], before)
})

test('does not divide a word of a script with spaces', () => {
  assert.deepEqual(meant('@André @Анна @ann\u0301', 'andr', 'анн', 'ann'), [undefined, undefined, undefined])
  assert.deepEqual(meant('@रामकुमार @Արամյան @გიორგიძე', 'राम', 'արամ', 'გიორგი'), [
    undefined,
    undefined,
    undefined,
  ])
  assert.deepEqual(meant('@राम @राम， @王さん @민수야 @สมชายครับ', 'राम', '王', '민수', 'สมชาย'), [
    'राम',
    'राम',
    '王',
    '민수',
    'สมชาย',
  ])
  assert.deepEqual(meant('@anna @ann_b @ann9 @ann', 'ann'), [undefined, undefined, undefined, 'ann'])
  assert.deepEqual(meant('@ann，@ann. @ann-b @ann中', 'ann'), ['ann', 'ann', 'ann', 'ann'])
})

test('does not divide a character', () => {
  const family = '👨\u200d👩\u200d👧'
  assert.deepEqual(meant(`@${family} @👍🏽 @中\u0301`, '👨', '👍', '中'), [undefined, undefined, undefined])
  assert.deepEqual(meant(`@${family}x @👍🏽👍 @ann\u200d，`, nameKey(family), '👍🏽', 'ann'), [
    nameKey(family),
    '👍🏽',
    'ann',
  ])
})

test('finds adjacent mentions, full-width signs and names between soft hyphens', () => {
  assert.deepEqual(meant('@小明@小红', '小明', '小红'), ['小明', '小红'])
  assert.deepEqual(meant('＠ann', 'ann'), ['ann'])
  assert.deepEqual(meant('\u00ad@A b\u00ad', 'a b'), ['a b'])
})

test('finds no mention in URLs and code', () => {
  assert.deepEqual(meant('https://e.org/@ann', 'ann'), [])
  assert.deepEqual(meant('video.example/@ann @bob/@ann', 'ann', 'bob'), ['bob', 'ann'])
  assert.deepEqual(findCandidates(parseText('`@ann` <https://e.org/@ann>', 'markdown'), '@', 50), [])
})

test('links mentions under their current names', () => {
  const users = new Map([['ann', { id: 7, name: 'Anna' }]])
  assert.deepEqual(linked('hi @Ann, \u00ad@ANN\u00ad!', users), [
    'hi ',
    mention(7, 'Anna'),
    ', ',
    mention(7, 'Anna'),
    '!',
  ])
  assert.deepEqual(linked('\u00ad@bob\u00ad @bob', users), ['@bob', ' @bob'])
})

test('links topics with and without a closing sign', () => {
  assert.deepEqual(linked('看#旅行#吧 #Street Photo now ＃旅行', NONE, named('旅行', 'Street Photo')), [
    '看',
    topic(1, '旅行'),
    '吧 ',
    topic(2, 'Street Photo'),
    ' now ',
    topic(1, '旅行'),
  ])
})

test('links references inside emphasis, but not inside links', () => {
  const tree = parseText('**@ann** [@ann](https://e.org)', 'markdown')
  assert.deepEqual(linkReferences(tree, { users: named('Ann'), topics: NONE }), [
    {
      type: 'paragraph',
      nodes: [
        { type: 'strong', nodes: [mention(1, 'Ann')] },
        ' ',
        { type: 'link', href: 'https://e.org', nodes: ['@ann'] },
      ],
    },
  ])
})

test('reads a bounded number of signs', () => {
  const text = '@ann '.repeat(10_000)
  assert.equal(findCandidates(parseText(text, 'plain'), '@', 50).length, 50)
  const mentions = linked(text, named('Ann')).filter((node) => typeof node !== 'string')
  assert.equal(mentions.length, 50)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { HOSTILE_TOKENS } from '#test/fixtures/hostile-texts.ts'
import { LIMITS } from './markdown.ts'
import { newWork, parseText, type TextFormat } from './parse.ts'
import { type TextNode, type TextTree, visit } from './tree.ts'

const url = (href: string, text = href): TextNode => ({ type: 'link', href, nodes: [text] })
const p = (...nodes: TextNode[]): TextNode => ({ type: 'paragraph', nodes })
const E = url('https://e.org/a')

/** Texts with their trees. `both` formats put the same inline nodes, Markdown in a paragraph. */
const INLINE: [string, TextTree][] = [
  // URLs before and after punctuation of both scripts.
  ['看https://e.org/a！好', ['看', E, '！好']],
  ['「https://e.org/a」', ['「', E, '」']],
  ['https://e.org/a、', [E, '、']],
  ['https://e.org/a；好', [E, '；好']],
  ['【https://e.org/a】', ['【', E, '】']],
  ['《https://e.org/a》', ['《', E, '》']],
  ['“https://e.org/a”', ['“', E, '”']],
  ['‘https://e.org/a’', ['‘', E, '’']],
  ['（https://e.org/a）', ['（', E, '）']],
  ['『https://e.org/a』', ['『', E, '』']],
  ['〔https://e.org/a〕', ['〔', E, '〕']],
  ['https://e.org/a。', [E, '。']],
  ['https://e.org/a，b', [E, '，b']],
  ['https://e.org/a：', [E, '：']],
  ['https://e.org/a？', [E, '？']],
  ['https://e.org/a…', [E, '…']],
  ['https://e.org/a——b', [E, '——b']],
  ['https://e.org/a～', [E, '～']],
  ['https://e.org/a｜b', [E, '｜b']],
  ['https://e.org/a　b', [E, '　b']],
  // Characters that hide or reverse what follows.
  ...['\u00ad', '\u061c', '\u200b', '\u202e', '\u2066', '\u2069', '\ufeff'].map(
    (sign): [string, TextTree] => [`https://e.org/a${sign}b`, [E, `${sign}b`]],
  ),
  ['https://e.org/a.', [E, '.']],
  ['https://e.org/a, b', [E, ', b']],
  ['https://e.org/a; b', [E, '; b']],
  ['https://e.org/a: b', [E, ': b']],
  ['https://e.org/a!', [E, '!']],
  ['https://e.org/a?', [E, '?']],
  ['"https://e.org/a"', ['"', E, '"']],
  ["'https://e.org/a'", ["'", E, "'"]],
  ['{https://e.org/a}', ['{', E, '}']],
  ['(https://e.org/a)', ['(', E, ')']],
  ['(see https://e.org/a_(b))', ['(see ', url('https://e.org/a_(b)'), ')']],
  ['https://e.org/?q=a,b&c=d', [url('https://e.org/?q=a,b&c=d')]],
  ['HTTPS://E.org/A Http://x.org', [url('HTTPS://E.org/A'), ' ', url('Http://x.org')]],
  ['http://localhost:3000/x', [url('http://localhost:3000/x')]],
  ['1.https://e.org/a 2…https://e.org/a', ['1.', E, ' 2…', E]],
  ['https://e.org/史蒂夫·乔布斯', [url('https://e.org/史蒂夫·乔布斯')]],
  ['https://a_b.example.org/', [url('https://a_b.example.org/')]],
  ['https://user@e.org/ https://a:b@e.org', ['https://user@e.org/ https://a:b@e.org']],
  // Joiners between letters and emoji in paths.
  ...[
    'https://e.org/می\u200cخواهم',
    'https://e.org/👨\u200d👩\u200d👧',
    'https://e.org/❤\ufe0f\u200d🔥/x',
  ].map((href): [string, TextTree] => [`${href}，`, [url(href), '，']]),
  ['https://e.org/a\u200cb', [E, '\u200cb']],
  ['https://e.org/a\u200d，b', [E, '\u200d，b']],
  [
    'mailto:me@e.org，xmailto:me@e.org a:me@e.org',
    ['mailto:', url('mailto:me@e.org', 'me@e.org'), '，xmailto:me@e.org a:me@e.org'],
  ],
  ['{"a":"https://e.org/a","b":1}', ['{"a":"', E, '","b":1}']],
  ['ahttps://e.org javascript://e.org ftp://e.org', ['ahttps://e.org javascript://e.org ftp://e.org']],
  ['main.rs example.org', ['main.rs example.org']],
  // Hosts with `www.`, and mail addresses.
  [
    '看www.e.org/a_(b)！(WWW.e.org), www.',
    [
      '看',
      url('http://www.e.org/a_(b)', 'www.e.org/a_(b)'),
      '！(',
      url('http://WWW.e.org', 'WWW.e.org'),
      '), www.',
    ],
  ],
  [
    '邮箱me.x+1@e.org。a@b, @ann, x@@e.org',
    ['邮箱', url('mailto:me.x+1@e.org', 'me.x+1@e.org'), '。a@b, @ann, x@@e.org'],
  ],
  ['https://u@www.e.org awww.e.org /www.e.org', ['https://u@www.e.org awww.e.org /www.e.org']],
  ['https:// http://', ['https:// http://']],
  // Words after a host without a space.
  ['看https://e.org谢谢/a', ['看', url('https://e.org'), '谢谢/a']],
  ['www.e.orgのサイト😀', [url('http://www.e.org', 'www.e.org'), 'のサイト😀']],
  ['www.e.org/@b.org谢谢', [url('http://www.e.org/@b.org谢谢', 'www.e.org/@b.org谢谢')]],
  [
    '发me@e.org或者you@e.org即可',
    ['发', url('mailto:me@e.org', 'me@e.org'), '或者', url('mailto:you@e.org', 'you@e.org'), '即可'],
  ],
  [
    'https://例子.测试/路径 https://abc商店.cn/x',
    [url('https://例子.测试/路径'), ' ', url('https://abc商店.cn/x')],
  ],
  [
    '官网:www.e.org 邮箱:me@e.org user:pw@e.org',
    [
      '官网:',
      url('http://www.e.org', 'www.e.org'),
      ' 邮箱:',
      url('mailto:me@e.org', 'me@e.org'),
      ' user:pw@e.org',
    ],
  ],
  // Mentions between soft hyphens.
  ['hi \u00ad@a_n_n\u00ad!', ['hi ', { type: 'mention', user: 0, name: 'a_n_n' }, '!']],
  ['\u00ad@a/b\u00ad', ['\u00ad@a/b\u00ad']],
  ['@ann #topic', ['@ann #topic']],
]

const MARKDOWN: [string, TextTree][] = [
  ['**注意：**请看', [p({ type: 'strong', nodes: ['注意：'] }, '请看')]],
  ['**「重点」**内容', [p({ type: 'strong', nodes: ['「重点」'] }, '内容')]],
  [
    '*a* __b__ ~~c~~ `d*e*`',
    [
      p(
        { type: 'emphasis', nodes: ['a'] },
        ' ',
        { type: 'strong', nodes: ['b'] },
        ' ',
        { type: 'deletion', nodes: ['c'] },
        ' ',
        {
          type: 'code',
          text: 'd*e*',
        },
      ),
    ],
  ],
  ['&copy; &mdash; &hellip; &#65; &unknown;', [p('© — … A &unknown;')]],
  [
    'a<br>b<BR/>c  \nd\\\ne\nf',
    [
      p(
        'a',
        { type: 'break' },
        'b',
        { type: 'break' },
        'c',
        { type: 'break' },
        'd',
        { type: 'break' },
        'e\nf',
      ),
    ],
  ],
  ['<b>x</b> <svg onload=x>', [p('<b>x</b> <svg onload=x>')]],
  ['@__init__ and *@_a_*', [p('@__init__ and ', { type: 'emphasis', nodes: ['@_a_'] })]],
  ['[me@e.org www.e.org](/x)', [p(url('/x', 'me@e.org www.e.org'))]],
  ['**https://e.org/a**', [p({ type: 'strong', nodes: [E] })]],
  ['https://e.org/_x_y*z*', [p(url('https://e.org/_x_y*z'), '*')]],
  ['<https://e.org/a>', [p(E)]],
  [
    '[l](https://e.org/a) [m](/users/1?a=b#c)',
    [p(url('https://e.org/a', 'l'), ' ', url('/users/1?a=b#c', 'm'))],
  ],
  ['[a](javascript:x) [b](data:text/html,x) [c](//e.org) [d](/\\e.org) [e](vbscript:x)', [p('a b c d e')]],
  [
    '[a](https://user@e.org) [b](HTTPS://u:p@e.org/x) [c](https://bank.example\\@e.org) ![d](http://:p@e.org/x.png) <https://u@e.org>',
    [p('a b c d https://u@e.org')],
  ],
  ['[a](https://e.org/@u) [b](/users/@u)', [p(url('https://e.org/@u', 'a'), ' ', url('/users/@u', 'b'))]],
  ['[a](/.//e.org) [b](/x/..//e.org) [c](/%2e//e.org)', [p('a b c')]],
  ['[a](/api/v2/auth/logout) [b](/x/../api/v2/auth/logout) [c](/%61pi/x) [d](/%2e%2e/api/x)', [p('a b c d')]],
  ['![x](/api/v2/files/1/../../auth/logout) ![y](/api/v2/files/1/%2e%2e/%2e%2e/auth/logout)', [p('x y')]],
  [
    '![x](/api/v2/files/12) ![y](/api/v2/files/12?w=200) @![z](13)',
    [
      p({ type: 'upload', file: 12, title: 'x' }, ' ', { type: 'upload', file: 12, title: 'y' }, ' ', {
        type: 'upload',
        file: 13,
        title: 'z',
      }),
    ],
  ],
  ['![x](https://e.org/a.png)', [p({ type: 'image', href: 'https://e.org/a.png', title: 'x' })]],
  [
    '# A\n### B\n## A\n#### 中 文！',
    [
      { type: 'heading', level: 1, anchor: 'a', nodes: ['A'] },
      { type: 'heading', level: 2, anchor: 'b', nodes: ['B'] },
      { type: 'heading', level: 2, anchor: 'a-2', nodes: ['A'] },
      { type: 'heading', level: 3, anchor: '中-文', nodes: ['中 文！'] },
    ],
  ],
  ['> a\n> - b', [{ type: 'quote', nodes: [p('a'), { type: 'list', items: [['b']] }] }]],
  [
    '3. a\n4. b\n\n- [ ] c\n- [x] d',
    [
      { type: 'list', start: 3, items: [['a'], ['b']] },
      { type: 'list', items: [['☐ c'], ['☑ d']] },
    ],
  ],
  [
    '```js\na < b\n```\n\n    c',
    [
      { type: 'code', text: 'a < b', block: true },
      { type: 'code', text: 'c', block: true },
    ],
  ],
  [
    '|a|b|c|d|\n|:-|:-:|-:|-|\n|1|*2*|3||',
    [
      {
        type: 'table',
        align: ['left', 'center', 'right', null],
        rows: [
          [['a'], ['b'], ['c'], ['d']],
          [['1'], [{ type: 'emphasis', nodes: ['2'] }], ['3'], []],
        ],
      },
    ],
  ],
  ['a\n\n---\n\n[r]: https://e.org/a\n[r]', [p('a'), { type: 'rule' }, p(url('https://e.org/a', 'r'))]],
]

test('reads URLs and mentions alike in both formats', () => {
  for (const [text, tree] of INLINE) {
    assert.deepEqual(parseText(text, 'plain'), tree, text)
    assert.deepEqual(parseText(text, 'markdown'), [p(...tree)], text)
  }
})

test('reads Markdown', () => {
  for (const [text, tree] of MARKDOWN) assert.deepEqual(parseText(text, 'markdown'), tree, text)
})

test('keeps line feeds of plain texts and reads no Markdown in them', () => {
  assert.deepEqual(parseText('a\n\n*b* <br> # c @![d](1)', 'plain'), ['a\n\n*b* <br> # c @![d](1)'])
  assert.deepEqual(parseText('', 'plain'), [])
})

test('shows a text beyond the limits without formatting', () => {
  const deep = `${'> '.repeat(40)}a`
  assert.deepEqual(parseText(deep, 'markdown'), [p(deep)])
  const emphases = `${'*'.repeat(60)}a${'*'.repeat(60)}`
  assert.deepEqual(parseText(emphases, 'markdown'), [p(emphases)])
  const codes = '`a`x'.repeat(12_000)
  assert.deepEqual(parseText(codes, 'markdown'), [p(codes)])
  assert.deepEqual(parseText(`[a](https://e.org/${'b'.repeat(3000)})`, 'markdown'), [p('a')])
  const many = 'https://e.org '.repeat(6000)
  assert.deepEqual(parseText(many, 'plain'), [many])
  const repeated = `[a]: https://e.org/${'b'.repeat(1500)}\n\n${'[a] '.repeat(500)}`
  assert.equal(parseText(repeated, 'markdown').length, 1)
  assert.ok(JSON.stringify(parseText(repeated, 'markdown')).length < 10_000)
  const endless = `[a]: https://e.org/${'中'.repeat(5000)}\n\n${'[a] '.repeat(500)}`
  assert.ok(JSON.stringify(parseText(endless, 'markdown')).length < 20_000)
  const endlessUrl = `https://e.org/${'b'.repeat(12_000)}`
  assert.deepEqual(parseText(`${endlessUrl} x`, 'plain'), [`${endlessUrl} x`])
  const long = 'a'.repeat(100_001)
  assert.deepEqual(parseText(`${long}\n*b*`, 'markdown'), [p(long, { type: 'break' }, '*b*')])
})

const depthOf = (tree: TextTree): number =>
  Math.max(
    0,
    ...tree.map((node) => {
      if (typeof node === 'string') return 1
      const inner =
        'nodes' in node
          ? [node.nodes]
          : node.type === 'list'
            ? node.items
            : node.type === 'table'
              ? node.rows.flat()
              : []
      return 1 + Math.max(0, ...inner.map(depthOf))
    }),
  )

function requireBounded(text: string, format: TextFormat): void {
  const work = newWork()
  const tree = parseText(text, format, work)
  assert.ok(work.steps <= LIMITS.steps + 1, `${work.steps} steps for ${JSON.stringify(text.slice(0, 20))}`)
  let nodes = 0
  let length = 0
  visit(tree, (node) => {
    nodes += 1
    if (typeof node === 'string') length += node.length
  })
  assert.ok(nodes <= 2 * LIMITS.nodes, `${nodes} nodes for ${JSON.stringify(text.slice(0, 20))}`)
  assert.ok(length <= text.length * 2)
  assert.ok(depthOf(tree) <= 60)
}

test('bounds the work on 500 hostile texts', () => {
  const hostile = fc.tuple(
    fc.array(fc.constantFrom(...HOSTILE_TOKENS), { minLength: 1, maxLength: 4 }),
    fc.constantFrom<TextFormat>('plain', 'markdown'),
  )
  fc.assert(
    fc.property(hostile, ([tokens, format]) => {
      const unit = tokens.join('')
      requireBounded(unit.repeat(Math.ceil(12_000 / unit.length)), format)
    }),
    { numRuns: 500, seed: 51 },
  )
})

test('counts as many steps again for each repetition of a text', () => {
  for (const unit of ['*_x', '_a_', '![@', '[', '<', '`a``b', '|a', '> ', '- ']) {
    const stepsOf = (length: number) => {
      const work = newWork()
      parseText(unit.repeat(length / unit.length), 'markdown', work)
      return work.steps
    }
    const [few, many] = [stepsOf(4000), stepsOf(16_000)]
    assert.ok(many <= few * 5 + 100, `${unit}: ${few} steps, then ${many}`)
  }
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createConverter, isHtml } from './markdown.ts'

const convert = createConverter()
const markdownOf = async (html: string) => (await convert(html)).markdown

test('converts paragraphs, headings, emphasis, links, lists and quotes', async () => {
  const html =
    '<h2>今天</h2><p>Some <strong>bold</strong> and <em>soft</em> <a href="https://example.org/a">words</a>.</p>' +
    '<ul><li>one</li><li>two</li></ul><blockquote><p>said</p></blockquote><p>a<br>b</p>'
  assert.equal(
    await markdownOf(html),
    '## 今天\n\nSome **bold** and *soft* [words](https://example.org/a).\n\n-   one\n-   two\n\n> said\n\na  \nb',
  )
})

test('converts pictures of the old site into uploads, and keeps other addresses', async () => {
  const html =
    '<p><img src="https://old.example/api/v2/files/12?w=3" alt="cat"><img src="https://x.example/a (1).png"></p>'
  const { markdown, lost } = await convert(html)
  assert.equal(markdown, '@![cat](12)![](https://x.example/a%20%281%29.png)')
  assert.deepEqual(lost, ['pictures of other sites, shown as links'])
})

test('converts tables, and escapes bars in cells', async () => {
  const html =
    '<table><thead><tr><th>a|b</th><th>c</th></tr></thead><tbody><tr><td><p>1</p><p>2</p></td></tr></tbody></table>'
  assert.equal(await markdownOf(html), '| a\\|b | c |\n| --- | --- |\n| 1 2 |  |')
})

test('drops scripts, and links that run them', async () => {
  const html =
    '<p>a<script>alert(1)</script><style>p{}</style><a href="javascript:alert(1)">b</a><a href=" JAVAscript:x">c</a></p>'
  assert.equal(await markdownOf(html), 'abc')
})

test('names what Markdown cannot show', async () => {
  const { markdown, lost } = await convert(
    '<p>x</p><iframe src="https://v.example"></iframe><video src="a"></video><img src="data:image/png;base64,AA" alt="dot"><table><tr><td colspan="2">y</td></tr></table>',
  )
  assert.deepEqual(lost, ['iframe', 'joined cells', 'pictures within the text', 'video'])
  assert.match(markdown, /^x\n\n.*dot/s)
})

test('tells HTML from Markdown that contains tags', () => {
  assert.ok(isHtml('<p>text</p>'))
  assert.ok(isHtml('  <IMG src="a">'))
  assert.ok(isHtml('first<div>second</div>'))
  assert.ok(!isHtml('# title\n\na < b, <br> and @![](3)'))
  assert.ok(!isHtml(''))
})

for (const [what, html] of [
  ['nested elements', '<div>'.repeat(100_000)],
  ['nested formatting', '<b><i>'.repeat(50_000)],
  ['formatting that each paragraph opens again', `${'<b>'.repeat(150)}${'<p>x'.repeat(20_000)}`],
  ['unfinished tags', '<a '.repeat(300_000)],
  ['brackets', '<'.repeat(900_000)],
  ['entities', '&'.repeat(900_000)],
  ['a very long text', '<p>word</p>'.repeat(200_000)],
  ['one long attribute', `<p title="${'x<'.repeat(400_000)}">a</p>`],
  ['unclosed comments', '<!--'.repeat(200_000)],
  ['table cells outside tables', '<table><b>'.repeat(90)],
  ['blanks', `<p>${' \n'.repeat(400_000)}</p>`],
  ['escapes', `<p>${'*_[#'.repeat(200_000)}</p>`],
] as const)
  test(`converts or strips a hostile text of ${what}`, async () => {
    const { markdown, isText } = await convert(html)
    assert.equal(typeof markdown, 'string')
    if (isText) assert.ok(!/<(div|b|p)>/.test(markdown))
  })

test('strips a text when the thread is late, and converts the next one', async () => {
  const impatient = createConverter({ patienceMs: 0 })
  const { markdown, isText } = await impatient('<p>a &amp; b</p>')
  assert.equal(isText, true)
  assert.equal(markdown.trim(), 'a & b')
  assert.equal((await convert('<p>c</p>')).isText, false)
})

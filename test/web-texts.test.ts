import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chatsOf } from '#test/fixtures/chats.ts'
import { groupMaker } from '#test/fixtures/groups.ts'
import { HOSTILE_TEXTS } from '#test/fixtures/hostile-texts.ts'
import { createCategory, createNews, newsEditor } from '#test/fixtures/news.ts'
import { questionsOf } from '#test/fixtures/questions.ts'
import { buildSite, cookieOf } from '#test/web-browser.ts'
import { createWorld, type Person } from '#test/world.ts'

await buildSite()
const world = await createWorld({ WEB: 'on', PUBLIC_URL: 'http://kith.test' })
const { app, as, person } = world
const ada = await person({ name: 'ada_lovelace' })
const lin = await person({ name: '林小雨' })

const get = async (url: string, viewer?: Person): Promise<string> => {
  const headers = { accept: 'text/html', ...(viewer ? { cookie: cookieOf(viewer) } : {}) }
  const { statusCode, body } = await app.inject({ method: 'GET', url, headers })
  assert.equal(statusCode, 200, `${url}: ${body.slice(0, 300)}`)
  return body
}
/** The markup of the page without the JSON that the browser continues with. */
const pageOf = async (url: string, viewer?: Person): Promise<string> =>
  (await get(url, viewer)).replace(/<script type="application.*?<\/script>/gs, '')

let mark = 0
const publish = async (text: string, who = ada): Promise<number> => {
  const body = { feed_content: text, feed_from: 1, feed_mark: ++mark }
  return (await as(who, 'POST', '/feeds', body)).body.id
}
const editor = await newsEditor(world)
const category = await createCategory(world, editor)
const article = (content: string, title = 'Tides'): Promise<number> =>
  createNews(world, editor, ada, { category_id: category, title, content })

test('renders each kind of node of an article', async () => {
  const id = await article(
    [
      '# Low *water*',
      '## Times',
      'A **strong**, ~~old~~ and `short` line of \u00ad@林小雨\u00ad [there](https://harbour.example/t)\\\nwith https://harbour.example/tides and [a place](#times) and [a page](/topics).',
      '> Quoted',
      '3. three\n4. four',
      '- one\n- two',
      '```\n<pre>\n```',
      '---',
      '| a | b | c |\n|:--|:-:|--:|\n| 1 | 2 | 3 |',
      '![spy](https://spy.example/a.png) ![](https://spy.example/b.png)',
      '@![Boats](1)',
      '[![badge](https://spy.example/c.png)](https://harbour.example/c)',
    ].join('\n\n'),
  )
  const page = await pageOf(`/news/${id}`)
  const away = 'rel="nofollow ugc noopener" target="_blank"'
  for (const part of [
    '<div class="markdown" dir="auto">',
    `<h2 id="news-${id}-low-water">Low <em>water</em></h2>`,
    `<h3 id="news-${id}-times">Times</h3>`,
    '<strong>strong</strong>, <del>old</del> and <code>short</code>',
    `<a class="reference" href="/users/${lin.id}">@林小雨</a>`,
    `<a href="https://harbour.example/t" ${away}>there</a><br/>`,
    `<a href="https://harbour.example/tides" ${away}>harbour.example/tides</a>`,
    `<a href="#news-${id}-times">a place</a>`,
    '<a href="/topics">a page</a>',
    '<blockquote><p>Quoted</p></blockquote>',
    '<ol start="3"><li>three</li><li>four</li></ol>',
    '<ul><li>one</li><li>two</li></ul>',
    '<code>&lt;pre></code></pre>',
    '<hr/>',
    '<tr><th class="is-left">a</th><th class="is-center">b</th><th class="is-right">c</th></tr>',
    '<tr><td class="is-left">1</td><td class="is-center">2</td><td class="is-right">3</td></tr>',
    `<a href="https://spy.example/a.png" ${away}>spy</a>`,
    `<a href="https://spy.example/b.png" ${away}>spy.example/b.png</a>`,
    '<img src="/api/v2/files/1?w=960" alt="Boats" loading="lazy" decoding="async"/>',
    `<a href="https://harbour.example/c" ${away}>badge</a>`,
  ])
    assert.ok(
      page.includes(part),
      `${part}\n${page.slice(page.indexOf('<div class="markdown"')).slice(0, 4000)}`,
    )
})

test('gives headings of several texts on a page different ids', async () => {
  const questions = questionsOf(world)
  const question = await questions.ask(ada, { subject: 'Where?', body: '# Place' })
  const answers = [
    await questions.answer(lin, question, { body: '# Place\n\n[up](#place)' }),
    await questions.answer(await person(), question, { body: '# Place' }),
  ]
  const page = await pageOf(`/questions/${question}`)
  for (const name of [`question-${question}`, ...answers.map((id) => `answer-${id}`)])
    assert.equal(page.split(`<h2 id="${name}-place">`).length, 2, name)
  assert.ok(page.includes(`<a href="#answer-${answers[0]}-place">up</a>`))
})

test('loads no picture for a path out of the uploads', async () => {
  for (const path of [
    '/api/v2/files/1/../../auth/logout',
    '/api/v2/files/1/%2e%2e/%2e%2e/auth/logout',
    '/api/v2/files/1/..%2f..%2fauth/logout',
  ]) {
    const page = await pageOf(`/news/${await article(`![x](${path}) [y](${path})`)}`)
    const text = page.slice(page.indexOf('class="markdown"'), page.indexOf('<footer'))
    assert.ok(!/<img|href=/.test(text), text.slice(0, 300))
  }
})

test('renders hostile texts without their tags, attributes and links', async () => {
  const page = await pageOf(`/news/${await article(HOSTILE_TEXTS.join('\n\n'))}`)
  const text = page.slice(page.indexOf('<div class="markdown"'), page.indexOf('<footer'))
  assert.ok(text.length > 5_000)
  for (const [tag = '', name = ''] of text.matchAll(/<(\w+)[^>]*>/g)) {
    assert.match(
      name,
      /^(?:div|p|a|img|strong|em|code|pre|h\d|ul|ol|li|blockquote|br|table|thead|tbody|tr|th|td)$/,
    )
    assert.ok(!/\s(?:on\w+|style|srcset|poster)=/.test(tag.replace(/"[^"]*"/g, '""')), tag)
    const [, target = ''] = /\s(?:href|src)="([^"]*)"/.exec(tag) ?? []
    if (name === 'img') assert.match(target, /^\/api\/v2\/files\/[1-9]\d*\?w=960$/)
    else if (name === 'a')
      assert.match(target, /^(?:https?:|mailto:|#|\/(?!\/|\\|api\/(?!v2\/files\/\d+(?:$|\?))))/i)
  }
})

test('links mentions and topics of a feed by id', async () => {
  const topic = (await as(ada, 'POST', '/feed/topics', { name: '海港' })).body.id
  const id = await publish(
    `你好\u00ad@林小雨\u00ad，看#海港 ada_lovelace@harbour.example https://harbour.example/tides。`,
  )
  const page = await pageOf(`/feeds/${id}`)
  assert.ok(
    page.includes(
      `<p class="prose" dir="auto">你好<a class="reference" href="/users/${lin.id}">@林小雨</a>，看`,
    ),
  )
  assert.ok(page.includes(`<a class="reference" href="/feed-topics/${topic}">#海港</a>`))
  assert.ok(page.includes('>harbour.example/tides</a>。</p>'))
  assert.ok((await get(`/users/${lin.id}`)).includes('林小雨'))
  await as(ada, 'POST', `/feeds/${id}/comments`, { body: 'And \u00ad@林小雨\u00ad too' })
  for (const path of [`/feeds/${id}`, '/', `/users/${ada.id}`])
    assert.ok((await pageOf(path)).includes(`href="/users/${lin.id}">@林小雨</a>`), path)
  assert.ok((await pageOf(`/feeds/${id}`)).includes('And <a class="reference"'))
})

test('renders references of group posts and messages', async () => {
  const { group: make, post } = groupMaker(world)
  const group = await make(ada, { name: 'Harbour' })
  const id = await post(ada, group, { title: 'Walk', body: '**With** \u00ad@林小雨\u00ad' })
  const reference = `<a class="reference" href="/users/${lin.id}">@林小雨</a>`
  assert.ok((await pageOf(`/groups/${group}/posts/${id}`)).includes(`<strong>With</strong> ${reference}`))
  const chats = chatsOf(world)
  const chat = await chats.pair(ada, lin)
  await chats.say(ada, chat, 'Ask \u00ad@林小雨\u00ad')
  assert.ok((await pageOf(`/chats/${chat}`, lin)).includes(`Ask ${reference}`))
  assert.ok((await pageOf('/chats', lin)).includes('Ask @林小雨</p>'))
})

test('aligns texts, titles and fields by their script', async () => {
  const id = await article('مرحبا بالعالم', 'مرحبا')
  const page = await pageOf(`/news/${id}`, ada)
  assert.ok(page.includes('<h1 dir="auto" lang>مرحبا</h1>'))
  assert.ok(page.includes('<div class="markdown" dir="auto" lang><p>مرحبا بالعالم</p></div>'))
  assert.match(page, /<textarea id="comment" dir="auto"/)
  for (const path of ['/', '/questions/ask', '/settings', '/news/write'])
    for (const [field] of (await pageOf(path, ada)).matchAll(/<textarea[^>]*>/g))
      assert.match(field, /dir="auto"/, path)
})

const FORBIDDEN = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u

test('serves readable XML when a text has control characters', async () => {
  await publish('bell\u0007 tab\u000b escape\u001b end\ufffe\uffff <b>&"')
  for (const path of ['/feeds.atom', `/users/${ada.id}/feeds.atom`]) {
    const xml = await get(path)
    assert.ok(!FORBIDDEN.test(xml), path)
    assert.ok(xml.includes('<content type="text">bell tab escape end &lt;b&gt;&amp;&quot;</content>'), path)
  }
})

test('cuts titles and descriptions between characters', async () => {
  const family = '👨‍👩‍👧‍👦'
  const id = await publish(`${'a'.repeat(58)}${family.repeat(60)}`)
  const page = await get(`/feeds/${id}`)
  assert.ok(page.includes(`<title>ada_lovelace: ${'a'.repeat(58)} · Kith</title>`))
  assert.ok(page.includes(`<meta name="description" content="${'a'.repeat(58)}${family.repeat(20)}">`))
  const title = `${'a'.repeat(58)}${family.repeat(3)}`
  assert.ok((await get('/feeds.atom')).includes(`<title>${title}</title>`))
  const embed = JSON.parse(await get(`/oembed?url=${encodeURIComponent(`http://kith.test/feeds/${id}`)}`))
  assert.equal(embed.title, title)
  assert.equal((await as(lin, 'POST', `/feeds/${id}/reports`, { reason: 'rude' })).status, 201)
  const [report] = await world.sql`select subject from reports where reportable_id = ${id}`
  assert.equal(report?.subject, `${'a'.repeat(58)}${family.repeat(6)}`)
})

test('describes a feed by its plain text', async () => {
  const id = await publish('See \u00ad@林小雨\u00ad')
  const page = await get(`/feeds/${id}`)
  assert.ok(page.includes('<meta name="description" content="See @林小雨">'))
  assert.ok(page.includes('"text":"See @林小雨"'))
  assert.ok((await get('/feeds.atom')).includes('<content type="text">See @林小雨</content>'))
})

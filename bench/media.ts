/**
 * `npm run dev -- bench:media DIR [--things=100000] [--comments=2000000] [--people=1000]` writes DIR/music.jsonl and
 * DIR/news.jsonl for `kith import`. Each file has `things` songs or articles and half of the comments.
 */
import { createWriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import { readOptions } from './options.ts'

const { values, positionals } = readOptions(
  {
    allowPositionals: true,
    options: {
      things: { type: 'string', default: '100000' },
      comments: { type: 'string', default: '2000000' },
      people: { type: 'string', default: '1000' },
    },
  },
  'FOLDER',
)
const folder = positionals[0]
if (folder === undefined) throw new Error('give the output folder as an argument')
const [things, comments, people] = [values.things, values.comments, values.people].map(Number) as [
  number,
  number,
  number,
]
const ALBUMS = 1000
const WORDS = 'river stone autumn letter window garden silver morning harbour candle winter forest'.split(' ')

const words = (n: number, count: number) =>
  Array.from({ length: count }, (_, at) => WORDS[(n * 7 + at * (1 + (n % 11))) % WORDS.length]).join(' ')

const time = (n: number, of: number) =>
  `${new Date(Date.UTC(2020, 0, 1) + Math.floor((n / of) * 1e8) * 1000).toISOString().slice(0, 19)}Z`

const writer = (n: number) => `writer${n % people}`

function* persons() {
  for (let n = 0; n < people; n += 1) yield { kind: 'person', name: writer(n) }
}

function* remarks(of: 'song' | 'news', count: number) {
  // A step coprime to the item count spreads consecutive comments over all items, as on a real site.
  for (let n = 0; n < count; n += 1)
    yield {
      kind: 'comment',
      id: `${of}-comment-${n}`,
      [of]: `${of}-${(n * 104_729) % things}`,
      user: writer(n * 31),
      body: `${words(n, 8)}, says number ${n}`,
      created_at: time(n, count),
    }
}

function* music() {
  yield* persons()
  for (let n = 0; n < ALBUMS; n += 1)
    yield { kind: 'special', id: `special-${n}`, title: `${words(n, 2)} ${n}` }
  for (let n = 0; n < things; n += 1)
    yield {
      kind: 'song',
      id: `song-${n}`,
      title: `${words(n, 3)} ${n}`,
      singer: `Singer ${n % 5000}`,
      last_time: 120 + (n % 240),
      lyric: words(n, 60),
      specials: [`special-${n % ALBUMS}`],
      taste_count: n % 997,
      created_at: time(n, things),
    }
  yield* remarks('song', Math.floor(comments / 2))
}

function* news() {
  yield* persons()
  for (let n = 0; n < 20; n += 1) yield { kind: 'category', name: `Category ${n}`, rank: n }
  for (let n = 0; n < 50; n += 1) yield { kind: 'tag', name: `Tag ${n}`, category: 'Topics' }
  for (let n = 0; n < things; n += 1)
    yield {
      kind: 'article',
      id: `news-${n}`,
      title: `${words(n, 5)} ${n}`,
      content: `# ${words(n, 4)}\n\n${words(n + 1, 200)}`,
      user: writer(n),
      category: `Category ${n % 20}`,
      tags: [`Tag ${n % 50}`],
      hits: n % 1009,
      created_at: time(n, things),
    }
  yield* remarks('news', Math.ceil(comments / 2))
}

await mkdir(folder, { recursive: true })
for (const [name, lines] of [
  ['music', music()],
  ['news', news()],
] as const) {
  const path = join(folder, `${name}.jsonl`)
  const file = createWriteStream(path)
  let text = ''
  let count = 0
  for (const line of lines) {
    text += `${JSON.stringify(line)}\n`
    count += 1
    if (text.length < 1_000_000) continue
    if (!file.write(text)) await new Promise((resolve) => file.once('drain', resolve))
    text = ''
  }
  file.end(text)
  await finished(file)
  console.log(`${path}: ${count} lines`)
}

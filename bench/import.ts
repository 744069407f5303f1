/**
 * `npm run dev -- bench:import DIR [--scale=0.01] [--no-kill] [--no-spread]` measures `kith import thinksns` on a generated
 * community: a full run with a kill halfway, runs without changes, with 1 % of the rows changed at the end of the
 * tables and spread over them, and `kith import verify`. Scale 1 has 14 million rows. Needs mariadb-server and, at
 * scale 1, 30 GB in DIR. `--no-spread` leaves out the spread changes, which make the run read all ranges.
 */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { startMariaDb } from '#test/fixtures/mariadb.ts'
import { createThinkSns } from '#test/fixtures/thinksns.ts'
import { readOptions } from './options.ts'

const { values, positionals } = readOptions(
  {
    allowPositionals: true,
    options: {
      scale: { type: 'string', default: '0.01' },
      'no-kill': { type: 'boolean', default: false },
      'no-spread': { type: 'boolean', default: false },
    },
  },
  'FOLDER',
)
if (positionals[0] === undefined) throw new Error('give the folder for the data as an argument')
const folder = resolve(positionals[0])
const scale = Number(values.scale)
const many = (count: number) => Math.max(10, Math.round(count * scale))
const [people, feeds, comments, likes] = [200_000, 2_000_000, 5_000_000, 5_000_000].map(many) as [
  number,
  number,
  number,
  number,
]

const FILL: [string, string][] = [
  ['migrations', "insert into migrations (migration) values ('made up')"],
  [
    'people',
    `insert into users (id, name, email, password, bio, created_at, updated_at)
     select seq, concat('person', seq), concat('person', seq, '@example.org'),
       '$2y$04$b3LXSwzaC1lK/QVJI3b96utXlBcVxu3xN2JicPpY1FdPWF4Ltqz8O', 'Somebody who likes rivers and stones',
       from_unixtime(1500000000 + seq), from_unixtime(1500000000 + seq) from seq_1_to_${people}`,
  ],
  [
    'points',
    `insert into currencies (owner_id, type, sum) select seq, 1, seq % 1000 from seq_1_to_${people}`,
  ],
  [
    'follows',
    `insert ignore into user_follow (user_id, target, created_at)
     select 1 + seq % ${people}, 1 + (seq * 7919) % ${people}, from_unixtime(1500000000 + seq) from seq_1_to_${people * 5}`,
  ],
  [
    'feeds',
    `insert into feeds (id, user_id, feed_content, feed_from, feed_mark, feed_view_count, created_at, updated_at)
     select seq, 1 + (seq * 31) % ${people}, concat(elt(1 + seq % 6, '今天天气很好 walking by the river',
       'a letter from the garden', 'silver morning in the harbour', '窗外的山 and a candle', 'winter forest, autumn stone',
       'nothing new'), ' number ', seq), 1 + seq % 5, 1500000000000 + seq, seq % 500, from_unixtime(1500000000 + seq * 50),
       from_unixtime(1500000000 + seq * 50) from seq_1_to_${feeds}`,
  ],
  [
    'comments',
    `insert into comments (id, user_id, target_user, reply_user, body, commentable_type, commentable_id, created_at, updated_at)
     select seq, 1 + (seq * 17) % ${people}, 1 + ((1 + (seq * 104729) % ${feeds}) * 31) % ${people}, 0,
       concat('a remark of some words, number ', seq), 'feeds', 1 + (seq * 104729) % ${feeds},
       from_unixtime(1500000000 + seq * 20), from_unixtime(1500000000 + seq * 20) from seq_1_to_${comments}`,
  ],
  [
    'likes',
    `insert into likes (id, user_id, target_user, likeable_type, likeable_id, created_at)
     select seq, 1 + ((seq div ${feeds}) * 7 + seq) % ${people}, 1 + ((1 + seq % ${feeds}) * 31) % ${people}, 'feeds',
       if(seq % 1000 = 0, ${feeds} + seq, 1 + seq % ${feeds}), from_unixtime(1500000000 + seq * 20)
     from seq_1_to_${likes};
     insert into likes (user_id, target_user, likeable_type, likeable_id, created_at)
     select user_id, target_user, likeable_type, likeable_id, created_at from likes where id % 1000 = 1`,
  ],
]

/** Changes of a day of use: 1 % of the rows of each table are edited, deleted or added. */
const changesOf = (isChanged: (last: number) => string): string[] => [
  `update users set bio = concat(bio, ' still') where ${isChanged(people)}`,
  `update currencies set \`sum\` = \`sum\` + 5 where ${isChanged(people).replaceAll('id', 'owner_id')}`,
  `delete from user_follow where ${isChanged(people * 5)}`,
  `update feeds set feed_content = concat(feed_content, ' edited') where ${isChanged(feeds)} and id % 4 > 1`,
  `update feeds set deleted_at = from_unixtime(1700000000) where ${isChanged(feeds)} and id % 4 = 1`,
  `update comments set body = concat(body, ' edited') where ${isChanged(comments)} and id % 4 > 1`,
  `delete from comments where ${isChanged(comments)} and id % 4 = 1`,
  `delete from likes where ${isChanged(likes)}`,
]
const SHARE = 100
const atTheEnd = changesOf((last) => `id > ${Math.floor(last - last / SHARE)}`)
const spread = changesOf(() => `id % ${SHARE} = 7`)
const ADDED = `insert into feeds (user_id, feed_content, feed_from, feed_mark, audit_status, created_at, updated_at)
  select 1 + seq % ${people}, concat('new number ', seq), 1, 1900000000000 + seq, 1, from_unixtime(1700000000), from_unixtime(1700000000)
  from seq_1_to_${Math.ceil(feeds / SHARE / 4)}`

const say = (text: string) => process.stdout.write(`${new Date().toISOString().slice(11, 19)} ${text}\n`)
const number = (value: number) => Math.round(value).toLocaleString('en')

function peakOf(pid: number): number {
  try {
    return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024
  } catch {
    return 0
  }
}

const program = join(import.meta.dirname, '../src/cli.ts')
const data = join(folder, 'kith')
const env = { ...process.env, DATA_DIR: data }

const run = (address: string, killAt: number | undefined, more: string[] = []) =>
  runKith(['import', 'thinksns', '--database', address, '--time-zone', 'UTC', ...more], killAt)

async function runKith(args: string[], killAt?: number) {
  const begun = Date.now()
  const child = spawn(process.execPath, [program, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let [peak, done, text, log] = [0, 0, '', '']
  child.stdout.on('data', (chunk) => {
    text += chunk
  })
  child.stderr.on('data', (chunk) => {
    log = `${log}${chunk}`.slice(-2000)
    for (const [, rows] of String(chunk).matchAll(/: ([\d,]+) of [\d,]+ rows/g))
      done = Number(rows?.replaceAll(',', ''))
    if (killAt !== undefined && done >= killAt) child.kill('SIGKILL')
  })
  const watch = setInterval(() => {
    peak = Math.max(peak, peakOf(child.pid ?? 0))
  }, 200)
  const shown = setInterval(() => say(log.trimEnd().split('\n').at(-1) ?? ''), 30_000)
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null]
  clearInterval(watch)
  clearInterval(shown)
  if (code !== 0 && signal !== 'SIGKILL')
    throw new Error(`kith ${args[1]} ended with ${code ?? signal}: ${log}${text.slice(-2000)}`)
  return { seconds: (Date.now() - begun) / 1000, peak, done, text }
}

await mkdir(folder, { recursive: true })
await rm(data, { recursive: true, force: true })
const source = join(folder, 'mariadb')
await rm(source, { recursive: true, force: true })
await mkdir(source)
const maria = await startMariaDb({ bufferMegabytes: 512, dir: source })
try {
  const { address, run: fill } = await createThinkSns(maria, 'community')
  for (const [name, statement] of FILL) {
    await fill(statement)
    say(`filled ${name}`)
  }
  const [row] = await fill(`select (select count(*) from users) + (select count(*) from currencies)
    + (select count(*) from user_follow) + (select count(*) from feeds) + (select count(*) from comments)
    + (select count(*) from likes) as n`)
  const total = Number(row?.n)
  say(`${number(total)} rows`)
  const first = values['no-kill'] ? undefined : await run(address, total / 2)
  if (first) say(`killed after ${number(first.done)} rows in ${number(first.seconds)} s`)
  const last = await run(address, undefined, first ? ['--resume'] : [])
  const seconds = last.seconds + (first?.seconds ?? 0)
  process.stdout.write(last.text)
  say(`${number(total)} rows in ${number(seconds)} s: ${number(total / seconds)} rows a second`)
  say(`the importer took at most ${number(Math.max(last.peak, first?.peak ?? 0) / 1e6)} MB`)
  const again = await run(address, undefined)
  say(`a run without changes took ${number(again.seconds)} s, and ${number(again.peak / 1e6)} MB`)
  const verify = async (what: string) => {
    const { seconds, peak, text } = await runKith(['import', 'verify', '--database', address])
    say(
      `verify ${what} took ${number(seconds)} s, and ${number(peak / 1e6)} MB: ${text.trim().split('\n').at(-1)}`,
    )
  }
  await verify('after the full run')
  for (const [what, statements] of [
    ['at the end of the tables', [...atTheEnd, ADDED]],
    ...(values['no-spread'] ? [] : ([['spread over the tables', spread]] as const)),
  ] as const) {
    for (const statement of statements) await fill(statement)
    const { seconds, peak } = await run(address, undefined)
    say(`a run with 1 % changed ${what} took ${number(seconds)} s, and ${number(peak / 1e6)} MB`)
    await verify(`after changes ${what}`)
  }
  process.stdout.write(
    execFileSync(process.execPath, [program, 'doctor'], { env, encoding: 'utf8' }).replace(/^✓.*\n/gm, ''),
  )
  say('kith doctor found no faults')
} finally {
  await maria.stop()
  if (existsSync(source)) await rm(source, { recursive: true, force: true })
}

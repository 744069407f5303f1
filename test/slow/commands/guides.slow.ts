import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { until } from '#test/fixtures/streams.ts'
import { findFreePort } from '#test/servers.ts'
import { signUpsOn } from '#test/sign-up.ts'
import { createRunningWorld } from '../../sdk/running.ts'

const world = await createRunningWorld({ WEBHOOKS_ALLOW_PRIVATE: 'true' })
const { url, person, as, work } = world
const { signUp } = signUpsOn(world)
const folder = mkdtempSync(join(tmpdir(), 'kith-guides-'))
after(() => rmSync(folder, { recursive: true, force: true }))

function start(guide: string, env: Record<string, string>) {
  const text = readFileSync(new URL(`../../../docs/guides/${guide}.md`, import.meta.url), 'utf8')
  const blocks = [...text.matchAll(/^```ts \w+\n(.*?)^```/gms)].map(([, block = '']) => block)
  assert.ok(blocks.length > 0)
  const sdk = fileURLToPath(new URL('../../../sdk/src/index.ts', import.meta.url))
  const path = join(folder, `${guide}.ts`)
  writeFileSync(path, blocks.join('\n').replaceAll("'@kith/client'", JSON.stringify(sdk)))
  const program = spawn(process.execPath, [path], { env: { ...process.env, KITH: url, ...env } })
  let printed = ''
  for (const stream of [program.stdout, program.stderr])
    stream.on('data', (chunk: Buffer) => {
      printed += chunk
    })
  return { program, ended: once(program, 'exit'), printed: () => printed }
}

test('runs the client program of docs/guides/client.md', async () => {
  const ann = await signUp()
  const { ended, printed } = start('client', { LOGIN: ann.name, PASSWORD: ann.password })
  assert.deepEqual(await ended, [0, null], printed())
  const [, id] = /^Published feed (\d+)$/m.exec(printed()) ?? []
  const feed = await as(ann, 'GET', `/feeds/${id}`)
  assert.equal(feed.body.images.length, 1)
  assert.ok(printed().includes(`Signed in as ${ann.name}\n`))
  assert.ok(printed().includes(`${ann.name}: Hello from my client\n`), printed())
  assert.match(printed(), /^Refused: \w+$/m)
})

test('comments on a new feed with the bot of docs/guides/bot.md', async () => {
  const [root, bot, ann] = [await person({ roles: ['founder'] }), await signUp(), await person()]
  const port = await findFreePort()
  const made = await as(root, 'POST', '/admin/webhooks', {
    url: `http://127.0.0.1:${port}/`,
    types: ['feed.created'],
  })
  assert.equal(made.status, 201)
  const { secret } = made.body
  const { program, ended, printed } = start('bot', {
    LOGIN: bot.name,
    PASSWORD: bot.password,
    SECRET: secret,
    PORT: String(port),
  })
  try {
    await until(
      () =>
        fetch(`http://127.0.0.1:${port}/`, { method: 'POST' }).then(
          ({ status }) => status === 401,
          () => false,
        ),
      'the bot listens',
    )
    const { id } = (await as(ann, 'POST', '/feeds', { feed_from: 1, feed_mark: 1, feed_content: 'News' }))
      .body
    await until(async () => {
      await work()
      const { comments } = (await as(ann, 'GET', `/feeds/${id}/comments`)).body
      return comments.some((comment: { user_id: number }) => comment.user_id === bot.id)
    }, 'the bot comments')
  } finally {
    program.kill()
    await ended
  }
  assert.equal(printed(), '')
})

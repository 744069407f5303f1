import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { createDice } from '#test/fixtures/dice.ts'
import { type Easemob, startEasemob } from '#test/fixtures/easemob.ts'
import { type MariaDb, skipMariaDb, startMariaDb } from '#test/fixtures/mariadb.ts'
import { writeFiles } from '#test/fixtures/mirrored.ts'
import { addOldCommunity } from '#test/fixtures/old-community.ts'
import { applyEdits } from '#test/fixtures/old-edits.ts'
import { createThinkSns, type ThinkSns } from '#test/fixtures/thinksns.ts'
import { findFreePort, waitForAnswer } from '#test/servers.ts'

const ROOT = join(import.meta.dirname, '../../..')
const SEEDS = [71, 72]

/** Commands of the guide by the number of their step. */
function stepsOf(guide: string): Map<number, string[]> {
  const [, section = ''] = /\n## Switching\n(.*?)\n## After the switch\n/s.exec(guide) ?? []
  const steps = new Map<number, string[]>()
  for (const [, number, text = ''] of section.matchAll(/^### (\d+)\. [^\n]*\n(.*?)(?=^### |$(?![\s\S]))/gms))
    steps.set(
      Number(number),
      [...text.matchAll(/```sh\n(.*?)```/gs)].flatMap(([, block = '']) => block.trim().split('\n')),
    )
  return steps
}

const STEPS = stepsOf(readFileSync(join(ROOT, 'docs/migrate-from-thinksns.md'), 'utf8'))
const [REHEARSAL, DECISIONS, LAST, LETTERS] = [1, 2, 4, 7].map((step) => STEPS.get(step) ?? [])

test('finds the commands of each step in the guide', () => {
  assert.deepEqual(
    [...STEPS].map(([step, commands]) => [step, commands.length]),
    [1, 2, 3, 4, 5, 6, 7, 8].map((step) => [step, { 1: 4, 2: 1, 4: 5, 7: 2 }[step] ?? 0]),
  )
})

for (const seed of SEEDS)
  describe(`follows the guide of the switch with the community of seed ${seed}`, {
    skip: skipMariaDb,
  }, () => {
    const folder = mkdtempSync(join(tmpdir(), 'kith-switch-'))
    const files = join(folder, 'public')
    let maria: MariaDb
    let source: ThinkSns
    let easemob: Easemob
    let server: ChildProcess | undefined
    let site = ''
    let env: Record<string, string | undefined> = { ...process.env, DATA_DIR: join(folder, 'kith') }
    const dice = createDice(seed)

    const kith = (args: string[]) =>
      spawn(process.execPath, [join(ROOT, 'src/cli.ts'), ...args], { cwd: folder, env })

    /** Runs a command of the guide with the addresses of this test. */
    async function run(command: string): Promise<{ code: number; text: string }> {
      const old = `--database ${source.address.replace('root@', 'mover:word@')}`
      const arrays: Record<string, string> = {
        OLD: old,
        FILES: `--files ${files}`,
        ALL: `${old} --files ${files} --time-zone UTC`,
      }
      const words = command
        .replace(/"\$\{(\w+)\[@\]\}"/g, (_, name: string) => arrays[name] ?? '')
        .split(/\s+/)
      assert.deepEqual(words.slice(0, 2), ['npx', 'kith'])
      const child = kith(words.slice(2))
      let text = ''
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (chunk) => {
          text += chunk
        })
      const [code] = await once(child, 'close')
      return { code, text }
    }
    async function runAll(commands: string[] = []): Promise<string> {
      let all = ''
      for (const command of commands) {
        const { code, text } = await run(command)
        assert.equal(code, 0, `${command}\n${text.slice(-3000)}`)
        all += text
      }
      return all
    }
    async function startKith(more: Record<string, string> = {}): Promise<void> {
      const port = await findFreePort()
      site = `http://127.0.0.1:${port}`
      env = { ...env, PORT: String(port), HOST: '127.0.0.1', ...more }
      server = kith(['start'])
      await waitForAnswer(`${site}/api/v2/bootstrappers`)
    }
    async function stopKith(): Promise<void> {
      if (!server || server.exitCode !== null) return
      server.kill('SIGTERM')
      await once(server, 'exit')
    }
    const get = async (path: string, token = '') =>
      (
        await fetch(
          `${site}/api/v2${path}`,
          token === '' ? {} : { headers: { authorization: `Bearer ${token}` } },
        )
      ).json()

    before(async () => {
      maria = await startMariaDb()
      easemob = await startEasemob()
      source = await createThinkSns(maria, 'old')
      await addOldCommunity(source, seed)
      await source.run("update users set name = 'seven@example.org', email = 'p7@example.org' where id = 7")
      await writeFiles(files, createDice(seed), 1)
      await maria.run(undefined, "create user 'mover'@'%' identified by 'word'")
      await maria.run(undefined, "grant select on old.* to 'mover'@'%'")
    })
    after(async () => {
      await stopKith()
      await easemob?.stop()
      await maria?.stop()
      await rm(folder, { recursive: true, force: true })
    })

    test('rehearses, imports, and verifies while the old site is in use', async () => {
      const text = await runAll(REHEARSAL)
      assert.match(text, /Nothing was written: this was a dry run/)
      assert.match(text, /✓ bytes of files: [1-9]/)
      assert.match(text, /\ngo\n/)
      const lines = (name: string) =>
        readFileSync(join(folder, name), 'utf8')
          .split('\n')
          .filter((line) => line.startsWith('{"decision"'))
      assert.deepEqual(lines('rehearsal.jsonl'), lines('report.jsonl'))
    })

    test('confirms the decisions of the report', async () => {
      const text = await runAll(DECISIONS)
      const [, confirmed, all] = /(\d+) of (\d+) decisions are confirmed/.exec(text) ?? []
      assert.ok(Number(all) > 5)
      assert.equal(confirmed, all)
    })

    test('imports what the old site changed before the freeze, and closes', async () => {
      await applyEdits(source, dice, 25)
      await maria.run(undefined, 'set global read_only = 1')
      const text = await runAll(LAST)
      assert.match(text, /\ngo\n/)
      assert.match(text, /The import is closed/)
      const { code, text: refused } = await run(LAST?.[0] ?? '')
      assert.equal(code, 1)
      assert.match(refused, /the import into this database is closed/)
    })

    test('signs users in with their old password, and takes over chats', async () => {
      const chats = (await source.run('select im_group_id as id from im_group order by id')).map(({ id }) =>
        String(id),
      )
      await startKith()
      const reply = await fetch(`${site}/api/v2/auth/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ login: 'person1', password: 'correct horse' }),
      })
      const { access_token: token } = (await reply.json()) as { access_token: string }
      assert.equal(reply.status, 200)
      const { id, name } = (await get('/user', token)) as { id: number; name: string }
      assert.deepEqual([id, name], [1, 'person1'])
      await stopKith()
      for (const chat of chats)
        easemob.groups.set(chat, {
          ...{ id: chat, name: `name of ${chat}`, description: '', public: false, membersonly: true },
          ...{ allowinvites: true, maxusers: 200, custom: '', owner: '2', members: new Set(['1', '3']) },
        })
      env = { ...env, ...easemob.env }
      const { text } = await run('npx kith doctor im --mend')
      assert.doesNotMatch(text, /does not exist at the provider/)
      await startKith()
      for (const chat of chats) {
        const group = easemob.groups.get(chat)
        assert.deepEqual([group?.name, group?.owner], [`name of ${chat}`, '2'])
        assert.deepEqual([...(group?.members ?? [])].sort(), ['1', '3'])
      }
      await stopKith()
    })

    test('sends letters once', async () => {
      assert.match((await run(LETTERS?.[1] ?? '')).text, /^0 letters queued/m)
      env = { ...env, SMTP_URL: 'smtp://127.0.0.1:9' }
      const text = await runAll(LETTERS)
      assert.match(text, /7: seven@example\.org → _seven_example\.org/)
      const queued = /(\d+) letters queued/.exec(text)?.[1]
      assert.ok(Number(queued) > 0)
      assert.match((await run(LETTERS?.[1] ?? '')).text, /^0 letters queued/m)
    })

    test('names what a return to the old site would lose', async () => {
      await startKith()
      const reply = await fetch(`${site}/api/v2/auth/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ login: 'person1', password: 'correct horse' }),
      })
      const { access_token: token } = (await reply.json()) as { access_token: string }
      const feed = await fetch(`${site}/api/v2/feeds`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
        body: JSON.stringify({
          feed_content: 'after the switch',
          feed_from: 1,
          feed_mark: 1_999_999_999_999,
        }),
      })
      assert.equal(feed.status, 201)
      await stopKith()
      const { code, text } = await run(LAST?.[1] ?? '')
      assert.equal(code, 1)
      assert.match(text, /✗ feeds that guests see: .*\n {2}1 here without a source/)
    })
  })

test('serves the old site read-only with the configuration of the guide', async (t) => {
  if (spawnSync('sh', ['-c', 'command -v nginx']).status !== 0) return t.skip('nginx not installed')
  const folder = mkdtempSync(join(tmpdir(), 'kith-freeze-'))
  const old = createServer((request, response) => response.end(`old ${request.method} ${request.url}`))
  old.listen(0, '127.0.0.1')
  await once(old, 'listening')
  const port = await findFreePort()
  await writeFile(
    join(folder, 'nginx.conf'),
    `pid ${folder}/pid; error_log stderr; daemon off; events {}
    http {
      access_log off;
      client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy; fastcgi_temp_path ${folder}/fastcgi;
      uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;
      server {
        listen 127.0.0.1:${port};
        include ${join(ROOT, 'deploy/thinksns/read-only.conf')};
        location / { proxy_pass http://127.0.0.1:${(old.address() as AddressInfo).port}; }
      }
    }`,
  )
  const nginx = spawn('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf')], { stdio: 'ignore' })
  try {
    const at = `http://127.0.0.1:${port}/api/v2/feeds`
    await waitForAnswer(at)
    assert.equal(await (await fetch(at)).text(), 'old GET /api/v2/feeds')
    const json = await fetch(at, { method: 'POST', body: '{}', headers: { accept: 'application/json' } })
    assert.deepEqual([json.status, json.headers.get('retry-after')], [503, '3600'])
    assert.match(await json.text(), /"message":\[".*read-only/)
    const page = await fetch(at, { method: 'DELETE', headers: { accept: 'text/html' } })
    assert.equal(page.status, 503)
    assert.match(page.headers.get('content-type') ?? '', /^text\/html/)
    assert.match(await page.text(), /本站正在迁移/)
  } finally {
    nginx.kill('SIGTERM')
    await once(nginx, 'exit')
    old.close()
    await rm(folder, { recursive: true, force: true })
  }
})

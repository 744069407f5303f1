/**
 * Restores a backup made during chats and payments into another cluster, in place, and after a killed restore. Part of
 * `npm run torture`.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { type ChatReader, openChatStream } from '#test/fixtures/chat-streams.ts'
import {
  askEmbedded,
  assertSound,
  nextPayment,
  openSite,
  type Payment,
  randomOf,
  retry,
} from '#test/fixtures/payments.ts'
import { send, startServer } from '#test/fixtures/sites.ts'
import { listAll } from './chat-fault.ts'

const PAYERS = 4
const TALKERS = 3
const TRAFFIC_MS = 2_000
const KILLED_RESTORES = 4
/** A stream delivers a message of this node at once, and one whose signal is lost after some seconds. */
const DELIVERY_MS = 10_000

type Person = { id: number; token: string }
type Said = { id: number; position: number; body: string }

function kith(dataDir: string, args: string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, ['src/cli.ts', ...args], {
    env: { ...process.env, DATA_DIR: dataDir, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, output }))
  return { child, ended, output: () => output }
}

/** Starts the site. Returns undefined when the server refuses, with a sentence that names the command to run. */
async function tryStart(dataDir: string) {
  const { child, ended, output } = kith(dataDir, ['start'], { PORT: '0', WORKER: 'separate' })
  let hasEnded = false
  void ended.then(() => {
    hasEnded = true
  })
  for (;;) {
    const address = /"address":"(http[^"]+)".*"msg":"listening"/.exec(output())?.[1]
    if (address !== undefined) return { child, ended, address }
    if (hasEnded) break
    await wait(50)
  }
  assert.match(output(), /did not finish: run `npx kith restore FILE --force`/)
  return undefined
}

async function succeed(dataDir: string, ...args: string[]): Promise<void> {
  const { code, output } = await kith(dataDir, args).ended
  assert.equal(code, 0, `kith ${args.join(' ')}: ${output}`)
}

/** Begins a restore. Resolves when it has verified the backup, after which it changes the site. */
async function beginRestore(dataDir: string, file: string) {
  const restoring = kith(dataDir, ['restore', '--force', file])
  while (!/is complete: version/.test(restoring.output())) await wait(10)
  return restoring
}

export async function restoreDuringTraffic(folder: string, seed: number): Promise<string> {
  const random = randomOf(seed)
  const first = join(folder, 'first')
  const { site } = await openSite(first)
  const talkers = site.buyers.slice(0, TALKERS)
  const [owner, ...members] = talkers as [Person, ...Person[]]
  let server = startServer(first)
  let address = await server.address
  const group = { groupname: 'Torture', desc: 'Torture', members: members.map(({ id }) => id) }
  const made = await send(address, owner.token, 'POST', '/im/group', group)
  const { im_group_id: groupId } = made.body as { im_group_id: number }
  const opened = await send(address, owner.token, 'PUT', `/chats/groups/${groupId}`)
  const chat = (opened.body as { id: number }).id

  const payments: Payment[] = []
  const said: Said[] = []
  let spoken = 0
  const speak = async (token: string): Promise<Said> => {
    spoken += 1
    const body = { body: `words ${spoken}` }
    const key = `say-${seed}-${spoken}`
    // A busy server answers 503. A client then sends the message again with its key.
    for (let tries = 1; ; tries += 1) {
      const answer = await send(address, token, 'POST', `/chats/${chat}/messages`, body, key)
      if (answer.status === 201) return answer.body as Said
      assert.ok(answer.status === 503 && tries < 20, JSON.stringify(answer.body))
      await wait(100)
    }
  }

  /** Pays and chats until the returned function is called, which waits for the last replies. */
  const beginTraffic = () => {
    let isOver = false
    const pay = async () => {
      while (!isOver) {
        const payment = nextPayment(site, payments.length, random)
        payments.push(payment)
        const { token, path, body, key } = payment
        payment.answer = await send(address, token, 'POST', path, body, key)
      }
    }
    const talk = async (token: string) => {
      while (!isOver) {
        said.push(await speak(token))
        await wait(10)
      }
    }
    const all = Promise.all([
      ...Array.from({ length: PAYERS }, pay),
      ...talkers.map(({ token }) => talk(token)),
    ])
    // Reported by the function below. Until then a failure must not end the process.
    all.catch(() => {})
    return async () => {
      isOver = true
      await all
    }
  }

  const stop = async () => {
    server.child.kill('SIGTERM')
    await server.ended
  }
  const start = async (dataDir: string) => {
    server = startServer(dataDir)
    address = await server.address
  }
  /** Backs up during traffic. Returns what the server had acknowledged when the backup began. */
  const backUp = async (dataDir: string, file: string) => {
    const stopTraffic = beginTraffic()
    await wait(TRAFFIC_MS)
    const before = { payments: payments.filter(({ answer }) => answer?.status === 201), said: [...said] }
    await succeed(dataDir, 'backup', file)
    await wait(TRAFFIC_MS)
    await stopTraffic()
    const reader = await openChatStream(address, members[0]!.token)
    await wait(500)
    const last = reader.last()
    reader.close()
    return { ...before, last }
  }

  const arrives = async (reader: ChatReader, message: Said) => {
    for (let waited = 0; waited < DELIVERY_MS; waited += 50) {
      if (reader.messages.some(({ id, body }) => id === message.id && body === message.body)) return waited
      await wait(50)
    }
    throw new assert.AssertionError({ message: `${message.body} did not arrive within ${DELIVERY_MS} ms` })
  }

  /** Checks that the restored site has what the backup holds, and that clients with positions of earlier data begin again. */
  const check = async (dataDir: string, kept: Awaited<ReturnType<typeof backUp>>): Promise<number> => {
    const stored = await listAll(address, owner.token, chat)
    const known = new Set(stored.map(({ position, body }) => `${position} ${body}`))
    for (const { position, body } of kept.said)
      assert.ok(known.has(`${position} ${body}`), `the message ${body} is lost`)
    // Lost by the restore, and therefore said again by the client.
    said.splice(0, said.length, ...said.filter(({ position, body }) => known.has(`${position} ${body}`)))

    const reader = members[0] as Person
    const fresh = await openChatStream(address, reader.token)
    const resumed = await openChatStream(address, reader.token, { after: kept.last })
    const message = await speak(owner.token)
    said.push(message)
    const ms = Math.max(await arrives(fresh, message), await arrives(resumed, message))
    // Two polls for lost signals.
    await wait(7_000)
    assert.ok(resumed.named('reset').length > 0, 'a client with an old position got no reset')
    const words = (stream: ChatReader) => stream.messages.map(({ body }) => body)
    assert.deepEqual(words(fresh), [message.body], 'a stream repeated old messages')
    assert.deepEqual(words(resumed), [message.body], 'a resumed stream repeated old messages')
    for (const stream of [fresh, resumed]) stream.close()

    const isKept = new Set(kept.payments.map(({ key }) => key))
    // An acknowledged payment of the backup must be replayed. Another one takes effect again, or is replayed if the
    // backup still contains it.
    for (const payment of payments) if (!isKept.has(payment.key)) delete payment.answer
    await retry(address, payments)
    await assertSound(address, askEmbedded(dataDir), site, payments)
    return ms
  }

  const fileOne = join(folder, 'one.backup')
  const one = await backUp(first, fileOne)
  await stop()

  const second = join(folder, 'second')
  await succeed(second, 'restore', fileOne)
  await start(second)
  const elsewhereMs = await check(second, one)

  const fileTwo = join(folder, 'two.backup')
  const two = await backUp(second, fileTwo)
  await stop()
  const restoring = await beginRestore(second, fileTwo)
  const begun = performance.now()
  assert.equal((await restoring.ended).code, 0, restoring.output())
  const changingMs = performance.now() - begun
  await start(second)
  const inPlaceMs = await check(second, two)
  await stop()

  let refused = 0
  for (let times = 0; times < KILLED_RESTORES; times += 1) {
    const { child, ended } = await beginRestore(second, fileTwo)
    await wait(random() * changingMs)
    child.kill('SIGKILL')
    await ended
    const served = await tryStart(second)
    if (served === undefined) refused += 1
    else {
      address = served.address
      // The kill came before the first change, or after the last one.
      const kept = await listAll(address, owner.token, chat)
      assert.ok(kept.length >= two.said.length, 'a start served half a site')
      served.child.kill('SIGTERM')
      await served.ended
    }
  }
  await succeed(second, 'restore', '--force', fileTwo)
  await start(second)
  await check(second, two)
  await stop()
  return `${payments.length} payments and ${said.length} messages; what a backup held was there once, clients with old positions got a reset, and the next message came after ${elsewhereMs} ms elsewhere and ${inPlaceMs} ms in place; the restore in place took ${Math.round(changingMs)} ms after its check; of ${KILLED_RESTORES} killed restores ${refused} left a site that refused to start, and none half a site`
}

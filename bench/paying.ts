import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import {
  askEmbedded,
  assertSound,
  nextPayment,
  openSite,
  type Payment,
  randomOf,
  retry,
  type Site,
} from '#test/fixtures/payments.ts'
import { send, startServer } from '#test/fixtures/sites.ts'

const PAYERS = 4

type Running = {
  address: string
  site: Site
  dataDir: string
  look(): Record<number, number>
}

export async function whilePaying(
  dataDir: string,
  seed: number,
  env: Record<string, string>,
  work: (running: Running) => Promise<string>,
): Promise<string> {
  const random = randomOf(seed)
  const { site } = await openSite(dataDir)
  const server = startServer(dataDir, { LOG_LEVEL: 'info', ...env })
  const address = await server.address
  const payments: Payment[] = []
  let counts: Record<number, number> = {}
  let isOver = false
  const pay = async () => {
    while (!isOver) {
      const payment = nextPayment(site, payments.length, random)
      payments.push(payment)
      const { token, path, body, key } = payment
      const answer = await send(address, token, 'POST', path, body, key).catch(() => undefined)
      if (answer) payment.answer = answer
      else payment.wasCut = true
      counts[answer?.status ?? 0] = (counts[answer?.status ?? 0] ?? 0) + 1
      if (!answer || answer.status >= 500) await wait(20)
    }
  }
  const paying = Promise.all(Array.from({ length: PAYERS }, pay))
  const look = () => {
    const seen = counts
    counts = {}
    return seen
  }
  let told: string
  try {
    await wait(1000)
    told = await work({ address, site, dataDir, look })
  } finally {
    isOver = true
    await paying
  }
  await untilReady(address)
  await retry(address, payments)
  await assertSound(address, askEmbedded(dataDir), site, payments)
  server.child.kill('SIGTERM')
  await server.ended
  return `${told}; ${payments.length} payments all there, once, and the ledger balances`
}

export async function probe(address: string): Promise<{ isReady: boolean; ms: number }> {
  const started = performance.now()
  const answer = await fetch(`${address}/health/ready`).catch(() => undefined)
  return { isReady: answer?.status === 200, ms: performance.now() - started }
}

export async function untilReady(address: string): Promise<number> {
  const started = performance.now()
  for (let tries = 0; tries < 2400; tries += 1) {
    if ((await probe(address)).isReady) return Math.round(performance.now() - started)
    await wait(50)
  }
  throw new Error('the server did not become ready again within two minutes')
}

export function assertNoFault(counts: Record<number, number>) {
  assert.equal(counts[500] ?? 0, 0, `answered ${JSON.stringify(counts)}`)
}

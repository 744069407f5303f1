/**
 * Overload test for `npm run torture`. Sends requests at four times the measured capacity, without waiting
 * for responses.
 */
import assert from 'node:assert/strict'
import {
  askEmbedded,
  assertSound,
  nextPayment,
  openSite,
  type Payment,
  type Random,
  randomOf,
  retry,
  type Site,
} from '#test/fixtures/payments.ts'
import { startServer } from '#test/fixtures/sites.ts'
import { openWire } from './wire.ts'

type Wire = ReturnType<typeof openWire>

const MEASURE_SECONDS = 10
const TIMES = 4
const PAYING = 0.1
/**
 * Number of connections, and maximum number of concurrent requests. The test opens all connections before the
 * load, because a busy process accepts few connections per second.
 */
const MAX_OPEN = 500

const percentile = (sorted: number[], part: number) => sorted[Math.floor((sorted.length - 1) * part)] ?? 0

function sendAny(wire: Wire, site: Site, payments: Payment[], random: Random) {
  if (random() >= PAYING) {
    const person = site.buyers[Math.floor(random() * site.buyers.length)] ?? site.author
    return wire.send({ method: 'GET', path: '/api/v2/feeds?limit=100', token: person.token })
  }
  const payment = nextPayment(site, payments.length, random)
  payments.push(payment)
  const { token, key, body } = payment
  return wire.send({ method: 'POST', path: `/api/v2${payment.path}`, token, key, body }).then(
    (outcome) => {
      payment.answer = {
        status: outcome.status,
        body: outcome.body === '' ? null : JSON.parse(outcome.body),
        replayed: false,
      }
      return outcome
    },
    (error) => {
      payment.wasCut = true
      throw error
    },
  )
}

export async function overload(
  dataDir: string,
  { seconds, seed }: { seconds: number; seed: number },
): Promise<string> {
  const random = randomOf(seed)
  const { site } = await openSite(dataDir)
  const server = startServer(dataDir)
  const address = await server.address
  const payments: Payment[] = []
  const wire = openWire(address)

  let done = 0
  const measureFor = async (time: number) => {
    const until = performance.now() + time * 1000
    done = 0
    const drive = async () => {
      while (performance.now() < until) {
        const { status } = await sendAny(wire, site, payments, random)
        if (status < 500) done += 1
      }
    }
    await Promise.all(Array.from({ length: 16 }, drive))
    return done / time
  }
  await measureFor(3)
  const capacity = await measureFor(MEASURE_SECONDS)

  await wire.warm(MAX_OPEN)
  const accepted: number[] = []
  const readiness: number[] = []
  let refused = 0
  const broken: string[] = []
  let open = 0
  const rate = capacity * TIMES
  const begun = performance.now()
  let sent = 0
  const probe = setInterval(() => {
    const started = performance.now()
    fetch(`${address}/health/ready`).then(
      () => readiness.push(performance.now() - started),
      () => readiness.push(Number.POSITIVE_INFINITY),
    )
  }, 2000)
  while (performance.now() - begun < seconds * 1000) {
    const due = ((performance.now() - begun) / 1000) * rate
    for (; sent < due; sent += 1) {
      if (open >= MAX_OPEN) continue
      open += 1
      sendAny(wire, site, payments, random)
        .then(
          ({ status, ms }) => {
            if (status < 500) accepted.push(ms)
            else if (status === 503) refused += 1
            else broken.push(String(status))
          },
          (error) => {
            broken.push(error.code ?? error.message)
          },
        )
        .finally(() => {
          open -= 1
        })
    }
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  const driven = (performance.now() - begun) / 1000
  while (open > 0) await new Promise((resolve) => setTimeout(resolve, 50))
  clearInterval(probe)
  wire.close()

  await retry(address, payments)
  await assertSound(address, askEmbedded(dataDir), site, payments)
  server.child.kill('SIGTERM')
  await server.ended
  accepted.sort((a, b) => a - b)
  readiness.sort((a, b) => a - b)
  const goodput = accepted.length / driven
  const [p50, p99] = [percentile(accepted, 0.5), percentile(accepted, 0.99)]
  const told =
    `capacity ${capacity.toFixed(0)}/s, sent ${rate.toFixed(0)}/s for ${driven.toFixed(0)} s: ` +
    `goodput ${goodput.toFixed(0)}/s (${((goodput / capacity) * 100).toFixed(0)} %), p50 ${p50.toFixed(0)} ms, ` +
    `p99 ${p99.toFixed(0)} ms, ${refused} refused, ${broken.length} broken (${[...new Set(broken)].join(', ')}), slowest readiness ${(readiness.at(-1) ?? 0).toFixed(0)} ms, ` +
    `${payments.length} payments all there, once`
  assert.equal(broken.length, 0, told)
  assert.ok(p99 < 2000 && goodput > capacity * 0.8, told)
  return told
}

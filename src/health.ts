import { randomUUID } from 'node:crypto'
import { pingIm } from '#modules/im/index.ts'
import type { Context } from '#platform/context.ts'
import type { Probe } from '#platform/probe.ts'

/** Writes a file where uploads are kept and removes it: a full disk and a lost right to write show here first. */
async function tryStorage({ storage }: Context): Promise<void> {
  const key = `health/${randomUUID()}`
  await storage.put(key, Buffer.from('ok'), { mime: 'text/plain' })
  await storage.remove(key)
}

/** What is looked at every few minutes, so that administrators see since when something fails. */
export const PROBES: readonly Probe[] = [
  {
    part: 'mail',
    isUsed: ({ config }) => config.smtpUrl !== undefined,
    check: ({ mail }) => mail.verifyTransport(),
  },
  { part: 'im', isUsed: () => true, check: pingIm },
  { part: 'uploads', isUsed: () => true, check: tryStorage },
]

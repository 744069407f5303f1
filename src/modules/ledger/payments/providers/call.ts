import { PaymentFault } from './provider.ts'

type Request = { method: string; headers: Record<string, string>; body?: string }

const TIMEOUT_MS = 8_000
const BILL_TIMEOUT_MS = 60_000

/**
 * Omits the request to the provider and the reply from thrown faults, because both may contain secrets or personal
 * data.
 */
async function readReply<T>(
  name: string,
  url: string,
  request: Request,
  timeoutMs: number,
  read: (response: Response) => Promise<T>,
): Promise<T> {
  try {
    const signal = AbortSignal.timeout(timeoutMs)
    // A redirect would pass the secret to another server.
    return await read(await fetch(url, { ...request, redirect: 'error', signal }))
  } catch (error) {
    const isTimeout = error instanceof Error && error.name === 'TimeoutError'
    throw new PaymentFault(isTimeout ? `${name} did not answer in ${timeoutMs} ms` : `${name} is unreachable`)
  }
}

export const callProvider = (
  name: string,
  url: string,
  request: Request,
): Promise<{ status: number; text: string; headers: Headers }> =>
  readReply(name, url, request, TIMEOUT_MS, async (response) => ({
    status: response.status,
    text: await response.text(),
    headers: response.headers,
  }))

export async function downloadBill(
  name: string,
  url: string,
  headers: Record<string, string> = {},
): Promise<Buffer> {
  const { status, bytes } = await readReply(
    name,
    url,
    { method: 'GET', headers },
    BILL_TIMEOUT_MS,
    async (response) => ({ status: response.status, bytes: Buffer.from(await response.arrayBuffer()) }),
  )
  if (status !== 200) throw new PaymentFault(`${name} answered ${status} for a bill`, { status })
  return bytes
}

export type Wire = Record<string, unknown>

export const field = (of: unknown, name: string): unknown => (of as Wire | null | undefined)?.[name]

export function parseReply(name: string, text: string): Wire {
  try {
    const parsed: unknown = JSON.parse(text)
    if (typeof parsed === 'object' && parsed !== null) return parsed as Wire
  } catch {
    // The error below omits the reply's text, because the text may contain personal data.
  }
  throw new PaymentFault(`${name} sent an unreadable reply`)
}

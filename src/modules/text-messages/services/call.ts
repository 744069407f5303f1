import { BadReceipt, SmsError } from './text-service.ts'

type Request = { method: 'GET' | 'POST' | 'HEAD'; headers: Record<string, string>; body?: string }
export type Reply = { status: number; body: Record<string, unknown> }

/**
 * Omits the request and the response from thrown errors, because both may contain personal data.
 */
export async function callTextService(
  name: string,
  url: string,
  request: Request,
  timeoutMs = 5_000,
): Promise<Reply> {
  let status: number
  let text: string
  try {
    const response = await fetch(url, {
      ...request,
      // A redirect would pass the secret to another server.
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    })
    status = response.status
    text = await response.text()
  } catch (error) {
    const isTimeout = error instanceof Error && error.name === 'TimeoutError'
    throw new SmsError(
      isTimeout ? `${name} did not answer in ${timeoutMs} ms` : `${name} is unreachable${reason(error)}`,
    )
  }
  if (status >= 500) throw new SmsError(`${name} answered ${status}`, { status })
  return { status, body: parse(text) }
}

/** Parses JSON. Returns integers above 2^53, such as message ids, as strings, because numbers would round them. */
function parseJson(text: string): unknown {
  const exact = (_key: string, value: unknown, { source }: { source: string }) =>
    Number.isInteger(value) && !Number.isSafeInteger(value) ? source : value
  return JSON.parse(text, exact as (key: string, value: unknown) => unknown)
}

function parse(text: string): Record<string, unknown> {
  try {
    const value = parseJson(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

function reason(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined
  if (!(cause instanceof Error)) return ''
  return `: ${'code' in cause ? cause.code : cause.message}`
}

export const field = (of: unknown, name: string): unknown =>
  typeof of === 'object' && of !== null ? (of as Record<string, unknown>)[name] : undefined

export function parseReports(text: string): unknown[] {
  try {
    const value = parseJson(text)
    if (Array.isArray(value)) return value
  } catch {
    // The error below omits the report's text, because the text contains phone numbers.
  }
  throw new BadReceipt('the report is not a JSON list')
}

export function referenceOf(value: unknown): string {
  const text = typeof value === 'number' ? String(value) : value
  if (typeof text !== 'string' || !/^[\w^:.-]{1,100}$/.test(text))
    throw new BadReceipt('a report names no message')
  return text
}

import { newKey } from '@kith/client'
import { isDecided } from './failures.ts'

/** Keys of payments whose outcome is unknown, for browsers without session storage. */
const kept = new Map<string, string>()

function look(place: string): string {
  try {
    return sessionStorage.getItem(place) ?? ''
  } catch {
    return kept.get(place) ?? ''
  }
}

function keep(place: string, value: string): void {
  kept.set(place, value)
  try {
    sessionStorage.setItem(place, value)
  } catch {}
}

function forget(place: string): void {
  kept.delete(place)
  try {
    sessionStorage.removeItem(place)
  } catch {}
}

/**
 * Sends a payment. After a lost response, a server error or while the first request is still running, the same payment
 * keeps its idempotency key, even in a new dialog and after a reload, so that a retry does not pay twice. `purpose` names
 * what is paid, as in `reward/feeds/5`. `about` describes the input, such as the amount. Other input gets a new key.
 */
export async function sendOnce<Answer>(
  purpose: string,
  about: string,
  send: (headers: Record<string, string>) => Promise<Answer>,
): Promise<Answer> {
  const place = `kith.payment.${purpose}`
  const [key = '', known] = look(place).split(' ')
  const used = key !== '' && known === about ? key : newKey()
  keep(place, `${used} ${about}`)
  try {
    const answer = await send({ 'idempotency-key': used })
    forget(place)
    return answer
  } catch (error) {
    if (isDecided(error)) forget(place)
    throw error
  }
}

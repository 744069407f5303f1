import type { Kith } from '@kith/client'
import worker from './push.worker.js'

/** The service worker controls no page, so the folder of its file suffices as scope. */
const SCOPE = '/_/assets/'

type Policy = { createScriptURL(address: string): string }
let policy: Policy | undefined

/** Returns the worker's URL as a trusted type, because the page's policy rejects plain strings. */
function workerAddress(): string {
  const { trustedTypes } = globalThis as unknown as {
    trustedTypes?: { createPolicy(name: string, rules: object): Policy }
  }
  policy ??= trustedTypes?.createPolicy('kith-worker', { createScriptURL: () => worker })
  return policy?.createScriptURL(worker) ?? worker
}

export const canPush = (): boolean =>
  'serviceWorker' in navigator && 'PushManager' in globalThis && 'Notification' in globalThis

const findSubscription = async () =>
  (await (await navigator.serviceWorker.getRegistration(SCOPE))?.pushManager.getSubscription()) ?? undefined

/**
 * Asks the server whether it sends push messages to this browser. A sign-out unregisters the browser only on
 * the server.
 */
export async function isSubscribed(api: Kith): Promise<boolean> {
  const subscription = await findSubscription()
  if (!subscription) return false
  return (await api.get('/user/devices')).some(({ token }) => token === subscription.endpoint)
}

export async function subscribe(api: Kith): Promise<boolean> {
  if ((await Notification.requestPermission()) !== 'granted') return false
  const { public_key: key } = await api.get('/user/push/key')
  const registration = await navigator.serviceWorker.register(workerAddress(), { scope: SCOPE })
  await waitUntilActive(registration)
  const subscription = await registration.pushManager.subscribe({
    userVisibleOnly: true,
    applicationServerKey: key,
  })
  const { p256dh = '', auth = '' } = subscription.toJSON().keys ?? {}
  await api.put('/user/devices', {
    body: { token: subscription.endpoint, platform: 'web', keys: { p256dh, auth } },
  })
  return true
}

/**
 * Browsers subscribe only through an active worker. `navigator.serviceWorker.ready` never resolves for a worker
 * that controls no page.
 */
async function waitUntilActive(registration: ServiceWorkerRegistration): Promise<void> {
  const next = registration.installing ?? registration.waiting
  if (registration.active || !next) return
  await new Promise<void>((resolve) => {
    next.addEventListener('statechange', () => next.state === 'activated' && resolve())
  })
}

export async function unsubscribe(api: Kith): Promise<void> {
  const subscription = await findSubscription()
  if (!subscription) return
  await api.delete('/user/devices', { body: { token: subscription.endpoint } })
  await subscription.unsubscribe()
}

import type { Kith } from '@kith/client'
import worker from './push.worker.js'

/** The worker controls no page, so its scope is the folder of its file. */
const SCOPE = '/_/assets/'

type Policy = { createScriptURL(address: string): string }
let policy: Policy | undefined

/** Address of the worker. The page's policy accepts workers only from this function. */
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

/** Returns whether the server sends messages to this browser. Signing out also unregisters the browser. */
export async function isSubscribed(api: Kith): Promise<boolean> {
  const subscription = await findSubscription()
  if (!subscription) return false
  return (await api.get('/user/devices')).some(({ token }) => token === subscription.endpoint)
}

/** Asks for permission and registers this browser. Returns false without the permission. */
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
 * Browsers subscribe through active workers only. `ready` never resolves, because it waits for a worker that
 * controls the page.
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

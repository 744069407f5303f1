import type { Kith } from '@kith/client'
import { registerWorker } from '../../app/offline.ts'

export const canPush = (): boolean =>
  'serviceWorker' in navigator && 'PushManager' in globalThis && 'Notification' in globalThis

/** Searches all registrations, because earlier versions had a worker of their own for push messages. */
async function findSubscription(): Promise<PushSubscription | undefined> {
  for (const { pushManager } of await navigator.serviceWorker.getRegistrations()) {
    const subscription = await pushManager.getSubscription()
    if (subscription) return subscription
  }
  return undefined
}

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
  await registerWorker()
  // Browsers subscribe only through an active worker.
  const registration = await navigator.serviceWorker.ready
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

export async function unsubscribe(api: Kith): Promise<void> {
  const subscription = await findSubscription()
  if (!subscription) return
  await api.delete('/user/devices', { body: { token: subscription.endpoint } })
  await subscription.unsubscribe()
}

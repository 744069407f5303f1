import { notify, withdrawNotifications } from '#modules/notifications/index.ts'
import type { Db } from '#platform/database'

export const notifyOfRequest = (tx: Db, userId: number, targetId: number): Promise<void> =>
  notify(tx, {
    type: 'system',
    recipients: [targetId],
    senderId: userId,
    cause: { type: 'users', id: userId },
    data: { type: 'follow:request' },
  })

export const withdrawRequestNotice = (tx: Db, userId: number, targetId: number): Promise<void> =>
  withdrawNotifications(tx, {
    systemType: 'follow:request',
    senderId: userId,
    recipients: [targetId],
    cause: { type: 'users', id: userId },
  })

/** Withdraws what the requests and the acceptances of a disabled account told, because its page no longer opens. */
export async function withdrawNoticesOf(tx: Db, userId: number): Promise<void> {
  for (const systemType of ['follow:request', 'follow:accept'] as const)
    await withdrawNotifications(tx, { systemType, senderId: userId, cause: { type: 'users', id: userId } })
}

/** What a notification is about (specification 4.9). */
export const NOTIFICATION_TYPES = ['at', 'comment', 'like', 'system', 'follow'] as const
export type NotificationType = (typeof NOTIFICATION_TYPES)[number]

/** One thing to tell to some people. */
export type Notice = {
  type: NotificationType
  recipients: number[]
  /** Who did it; 0 is the system. */
  senderId: number
  /** What happened, by which `takeBack` finds it again. */
  cause: { type: string; id: number }
  data: Record<string, unknown>
}

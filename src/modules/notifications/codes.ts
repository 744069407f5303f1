import { contentCode } from '#contracts/content.ts'

/**
 * Integers in `resource.type` of system notifications (notifications-8). Clients store them, so never change
 * or reuse a number.
 */
export const RESOURCE_CODES = {
  other: 0,
  users: 1,
  comments: 3,
  'feed-topics': 7,
  'question-topics': 10,
  reports: 13,
  certifications: 14,
  'wallet-cashes': 15,
  'currency-cashes': 16,
  'paid-nodes': 17,
  notices: 18,
} as const

export const resourceCode = (kind: string): number =>
  (RESOURCE_CODES as Record<string, number | undefined>)[kind] ?? contentCode(kind) ?? RESOURCE_CODES.other

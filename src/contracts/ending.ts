import type { Db, Fragment } from '#platform/database'

/**
 * Meaning of the end of content to a cause of notifications. Every `cause_type` of a notification about content has
 * one. Deleting the content withdraws its unread notifications (notifications-7), and `kith doctor` finds
 * those that a fault left behind.
 */
export type Ending = {
  /** `cause_type` of the notifications. */
  type: string
  /** Selects the `id` of all that is not deleted. Absent if the rows outlive the content that they belong to. */
  live?(sql: Db): Fragment
  /**
   * Selects `id`, `content_type` and `content_id` of what belongs to other content, such as comments. An index must
   * find the rows of one content.
   */
  on?(sql: Db): Fragment
}

let declared: readonly Ending[] = []

export function declareEndings(endings: readonly Ending[]): readonly Ending[] {
  const types = endings.map(({ type }) => type)
  const twice = types.find((type, index) => types.indexOf(type) !== index)
  if (twice) throw new Error(`Two modules declare the ending of ${twice}`)
  declared = endings
  return endings
}

export const endings = (): readonly Ending[] => declared

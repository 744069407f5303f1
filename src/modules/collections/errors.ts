import { apiError } from '#platform/errors.ts'

/** What is collected once is collected already; the status differs by kind (feeds-22). */
export const collectedAlready = (status: number) =>
  apiError(status, 'already_collected', 'You have collected this already.', '你已经收藏过了。')

/** There is nothing to take out of the collection; the status differs by kind (feeds-22). */
export const notCollected = (status: number) =>
  apiError(status, 'not_collected', 'You have not collected this.', '你还没有收藏。')

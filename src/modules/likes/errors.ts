import { apiError } from '#platform/errors.ts'

/** What is liked once is liked already; the status differs by kind (feeds-18). */
export const likedAlready = (status: number) =>
  apiError(status, 'already_liked', 'You like this already.', '你已经赞过了。')

/** There is no like to take back; the status differs by kind (feeds-18). */
export const notLiked = (status: number) =>
  apiError(status, 'not_liked', 'You do not like this.', '你还没有赞过。')

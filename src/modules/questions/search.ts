import type { Searchable } from '#platform/search.ts'
import { listQuestions } from './queries.ts'
import { QuestionItem } from './schema.ts'
import { questionItems } from './view.ts'

/** Questions by a part of their subject; who asked anonymously stays unknown. */
export const questionSearch: Searchable = {
  type: 'questions',
  item: QuestionItem,
  find: async (ctx, { q, after, limit, viewerId }) =>
    questionItems(
      ctx,
      await listQuestions(ctx.sql, viewerId, { type: 'all', subject: q, after, limit }),
      viewerId,
    ),
}

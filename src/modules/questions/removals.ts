import type { ContentRemoval } from '#contracts/content.ts'
import { publishEvent } from '#modules/notifications/index.ts'
import { deleteAnswer } from './answers/service.ts'
import { deleteQuestion } from './service.ts'

/** Deletes a question as a moderator. */
export const questionRemoval: ContentRemoval = {
  ability: 'admin: questions',
  async remove(ctx, tx, id, moderatorId) {
    await deleteQuestion(tx, id, { userId: moderatorId, anybodys: true })
    await publishEvent(ctx, tx, 'question.deleted', { id, deleted_by: moderatorId })
  },
}

/** Deletes an answer as a moderator. */
export const answerRemoval: ContentRemoval = {
  ability: 'admin: questions',
  async remove(ctx, tx, id, moderatorId) {
    await deleteAnswer(tx, id, { userId: moderatorId, anybodys: true })
    await publishEvent(ctx, tx, 'answer.deleted', { id, deleted_by: moderatorId })
  },
}

import { Flag, OneOf, type Static, Type } from '#platform/schema.ts'
import { AnswerView, Excerpt, ListQuery, Markdown } from '../schema.ts'

export const NewAnswer = Type.Object({
  body: Markdown({ minLength: 1 }),
  text_body: Excerpt,
  anonymity: Type.Optional(Flag()),
})
export type NewAnswer = Static<typeof NewAnswer>

/** What can be changed of an answer; at least one of these. */
export const AnswerPatch = Type.Partial(NewAnswer)
export type AnswerPatch = Static<typeof AnswerPatch>

export const AnswerMade = Type.Object({
  message: Type.Array(Type.String()),
  answer: Type.Object(AnswerView.properties),
})

/** `default`: most liked first; `time`: newest first. */
export const AnswersQuery = Type.Object({
  ...ListQuery.properties,
  order_type: Type.Optional(OneOf(['default', 'time'] as const, { default: 'default' })),
})
export type AnswersQuery = Static<typeof AnswersQuery>

import { WORD_TYPES } from '#modules/words/index.ts'
import { Nullable, OneOf, type Static, Text, Time, Type } from '#platform/schema.ts'
import { listingQuery } from '../paging.ts'

export const WordRecord = Type.Object({
  id: Type.Integer(),
  word: Type.String(),
  type: OneOf(WORD_TYPES),
  replace: Nullable(Type.String()),
  created_at: Time,
  updated_at: Time,
})

export const WordQuery = Type.Object({
  ...listingQuery(['id', 'word']),
  type: Type.Optional(OneOf(WORD_TYPES)),
})
export type WordQuery = Static<typeof WordQuery>

/** `warning` refuses a text with the word; `replace` puts the replacement there, or nothing. */
export const NewWord = Type.Object({
  word: Text(100),
  type: OneOf(WORD_TYPES),
  replace: Type.Optional(Nullable(Text(100))),
})

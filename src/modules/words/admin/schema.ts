import { listingQuery } from '#platform/listing.ts'
import { Nullable, OneOf, Shared, type Static, Text, Time, Type } from '#platform/schema.ts'
import { WORD_TYPES } from '../schema.ts'

/** A word as administrators see it. */
export const WordRecord = Shared('SensitiveWord', {
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
export const NewWord = Shared('NewSensitiveWord', {
  word: Text(100),
  type: OneOf(WORD_TYPES),
  replace: Type.Optional(Nullable(Text(100))),
})

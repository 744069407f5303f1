import {
  Cursor,
  Id,
  IdList,
  Int,
  Limit,
  Nullable,
  RawText,
  Shared,
  type Static,
  Text,
  Type,
} from '#platform/schema.ts'
import { NewsItem } from '../schema.ts'

const fields = {
  title: Text(40, { minLength: 1 }),
  subject: Type.Optional(Nullable(Text(400))),
  content: Text(100_000, { minLength: 1 }),
  tags: IdList(20, { minItems: 1 }),
  image: Type.Optional(Nullable(Id)),
  from: Type.Optional(Nullable(Text(100))),
  author: Type.Optional(Nullable(Text(100))),
}

/** What a contribution is made of. */
export const Contribution = Type.Object(fields)
export type Contribution = Static<typeof Contribution>

/** A contribution, and the payment password while contributions cost something. */
export const NewContribution = Shared('NewContribution', { ...fields, password: Type.Optional(RawText(128)) })

/** What is changed of a rejected contribution. */
export const ContributionChanges = Type.Partial(Type.Object(fields), { title: 'ContributionChanges' })

/** My articles of one state, or of all; of others only the published ones. */
export const ContributionsQuery = Type.Object({
  type: Type.Optional(Int(0, 5)),
  user: Type.Optional(Id),
  after: Cursor,
  limit: Limit(20),
})

/** An article of a person; `mark` tells its author why it was rejected. */
export const ContributionItem = Shared('Contribution', {
  ...NewsItem.properties,
  mark: Nullable(Type.String()),
})

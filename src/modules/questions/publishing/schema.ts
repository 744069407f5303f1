import { MAX_AMOUNT } from '#lib/money.ts'
import { Flag, Id, IdList, Int, type Static, Text, Type } from '#platform/schema.ts'
import { Excerpt, Markdown, QuestionView } from '../schema.ts'

/** Ids of topics, each as `{id}` or as a number. */
const TopicIds = Type.Unsafe<(number | { id: number })[]>({
  ...IdList(10),
  items: Type.Union([Id, Type.Object({ id: Id })]),
})

/** Ids of people, each as `{user}` or as a number. */
const InvitedIds = Type.Unsafe<(number | { user: number })[]>({
  ...IdList(10),
  items: Type.Union([Id, Type.Object({ user: Id })]),
})

/** What a question is made of (R §19.3). `password` is the payment password of a question with a bounty. */
export const NewQuestion = Type.Object({
  subject: Text(255, { description: 'Ends with a question mark' }),
  topics: TopicIds,
  body: Type.Optional(Markdown()),
  text_body: Excerpt,
  anonymity: Type.Optional(Flag()),
  amount: Type.Optional(Int(0, MAX_AMOUNT, { description: 'The bounty in points' })),
  look: Type.Optional(Flag()),
  automaticity: Type.Optional(Flag()),
  invitations: Type.Optional(InvitedIds),
  password: Type.Optional(Text(128, { 'x-raw': true })),
})
export type NewQuestion = Static<typeof NewQuestion>

/** A bounty, set or changed. */
export const Bounty = Type.Object({
  amount: Int(1, MAX_AMOUNT),
  password: Type.Optional(Text(128, { 'x-raw': true })),
})

/** What can be changed of a question; at least one of these. */
export const QuestionPatch = Type.Object({
  subject: Type.Optional(Text(255)),
  topics: Type.Optional(TopicIds),
  body: Type.Optional(Markdown()),
  text_body: Excerpt,
  anonymity: Type.Optional(Flag()),
  amount: Type.Optional(Int(1, MAX_AMOUNT)),
  password: Type.Optional(Text(128, { 'x-raw': true })),
})
export type QuestionPatch = Static<typeof QuestionPatch>

export const QuestionMade = Type.Object({
  message: Type.Array(Type.String()),
  question: QuestionView,
})

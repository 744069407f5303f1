import { grams, nameKey } from '#lib/text.ts'
import { excerptOf } from '#modules/questions/index.ts'
import type { Tx } from '#platform/database'
import { flag } from '../../database/changes.ts'
import { type Batch, defineTable, type SourceRow } from '../../database/table.ts'
import { TIME_COLUMNS, TIMES, timesOf } from '../../database/times.ts'
import { all, released, removed, replaced } from '../../database/vanishing.ts'
import { upsert } from '../../database/write.ts'
import { claimNamed, unclaimed } from '../files/uses.ts'
import { noteImportedHolds } from '../ledger/balances.ts'

const QUESTIONS = {
  id: 'int',
  user_id: 'int',
  subject: 'text',
  body: 'text',
  text_body: 'text',
  anonymity: 'int',
  amount: 'int',
  automaticity: 'int',
  look: 'int',
  excellent: 'int',
  status: 'int',
  views_count: 'int',
  deleted_at: 'time',
  ...TIMES,
} as const

async function writeQuestions(tx: Tx, rows: SourceRow<typeof QUESTIONS>[], batch: Batch): Promise<void> {
  const people = await batch.findBy('users', rows, 'user_id')
  const refund = batch.options.waiting === 'refund'
  const holds: Parameters<typeof noteImportedHolds>[3] = []
  const given = rows.flatMap((row) => {
    if (!people.has(row.user_id ?? 0)) {
      batch.leaveOut(row, 'its author no longer exists')
      return []
    }
    if (row.deleted_at !== null) {
      batch.leaveOut(row, 'deleted')
      return []
    }
    const status = row.status === 1 || row.status === 2 ? row.status : 0
    const amount = Math.max(row.amount ?? 0, 0)
    const waits = amount > 0 && status !== 1
    if (waits)
      holds.push({
        subjectId: row.id ?? 0,
        ownerId: row.user_id ?? 0,
        currency: 'points',
        amount,
        kind: 'bounty',
        refundKind: 'bounty:refunded',
        givenBack: refund,
      })
    const automaticity = row.automaticity === 1 && amount > 0
    if (row.look === 1 && !automaticity)
      batch.mend(row, 'paid answer without a bounty for an expert: made free', 'look')
    const subject = row.subject?.trim() || `question ${row.id}`
    return [
      {
        id: row.id,
        user_id: row.user_id,
        subject,
        subject_key: nameKey(subject),
        subject_grams: grams(subject),
        body: row.body,
        text_body: excerptOf(row.body, row.text_body),
        anonymity: batch.has('anonymity') && row.anonymity !== 0,
        amount,
        bounty: amount === 0 ? 'none' : waits ? 'held' : 'paid',
        automaticity,
        look: row.look === 1 && automaticity,
        excellent: row.excellent === 1,
        status,
        views_count: Math.max(row.views_count ?? 0, 0),
        ...timesOf(row),
      },
    ]
  })
  const columns = {
    id: 'bigint',
    user_id: 'bigint',
    subject: 'text',
    subject_key: 'text',
    subject_grams: 'text[]',
    body: 'text',
    text_body: 'text',
    anonymity: 'boolean',
    amount: 'bigint',
    bounty: 'text',
    automaticity: 'boolean',
    look: 'boolean',
    excellent: 'boolean',
    status: 'smallint',
    views_count: 'bigint',
    ...TIME_COLUMNS,
  }
  await upsert(tx, 'questions', columns, given)
  await claimNamed(
    tx,
    'questions',
    given.map(({ id, body }) => ({ placeId: id ?? 0, text: body })),
  )
  await noteImportedHolds(
    tx,
    'questions',
    rows.map(({ id }) => id ?? 0),
    holds,
  )
}

export const questions = defineTable({
  table: 'questions',
  by: 'id',
  width: 2000,
  batch: 500,
  into: [
    {
      table: 'questions',
      columns: {
        text_body: null,
        anonymity: flag,
        automaticity: flag,
        look: flag,
        excellent: flag,
        deleted_at: null,
      },
    },
  ],
  key: ['id'],
  gone: all(released('questions'), unclaimed('questions'), removed('questions')),
  reread: 'always',
  // Removing a question removes its answers.
  states: (sql, { from, to }) => sql`
    select 'questions' as kind, id, user_id::text as fact from questions where id >= ${from} and id < ${to}
    union all
    select 'question-answers', id, user_id::text from answers where question_id >= ${from} and question_id < ${to}`,
  columns: QUESTIONS,
  write: writeQuestions,
})

export const topicLinks = defineTable({
  table: 'question_topic',
  by: 'question_id',
  width: 2000,
  into: [{ table: 'question_topic_links', key: { topic_id: 'topic_id', question_id: 'question_id' } }],
  key: ['question_id', 'topic_id'],
  gone: replaced({ table: 'question_topic_links', by: 'question_id' }),
  reread: 'always',
  columns: { question_id: 'int', topic_id: 'int' },
  async write(tx, rows, batch) {
    const found = await batch.findBy('questions', rows, 'question_id')
    const known = await batch.findBy('question-topics', rows, 'topic_id')
    const given = rows.filter((row) => {
      if (!found.has(row.question_id ?? 0)) batch.leaveOut(row, 'the question no longer exists')
      else if (!known.has(row.topic_id ?? 0)) batch.leaveOut(row, 'the topic no longer exists')
      else return true
      return false
    })
    await upsert(tx, 'question_topic_links', { question_id: 'bigint', topic_id: 'bigint' }, given, {
      key: ['topic_id', 'question_id'],
    })
  },
})

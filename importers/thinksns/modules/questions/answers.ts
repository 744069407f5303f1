import { excerptOf } from '#modules/questions/index.ts'
import { flag } from '../../database/changes.ts'
import { defineTable } from '../../database/table.ts'
import { EPOCH, TIME_COLUMNS, TIMES, timesOf } from '../../database/times.ts'
import { all, emptied, existing, freed, removed } from '../../database/vanishing.ts'
import { upsert } from '../../database/write.ts'
import { claimNamed, unclaimed } from '../files/uses.ts'

export const answers = defineTable({
  table: 'answers',
  by: 'question_id',
  width: 1000,
  batch: 500,
  into: [
    {
      table: 'answers',
      columns: { text_body: null, anonymity: flag, adoption: flag, invited: flag, deleted_at: null },
    },
  ],
  key: ['id'],
  gone: all(
    freed('answers', (sql) => sql`adoption = false`, 'question_id'),
    unclaimed('answers'),
    removed({ table: 'answers', by: 'question_id', key: { id: 'id' } }),
  ),
  reads: { users: ['user_id'], questions: ['question_id'] },
  states: existing('question-answers', 'answers', (sql) => sql`user_id`, 'question_id'),
  columns: {
    id: 'int',
    question_id: 'int',
    user_id: 'int',
    body: 'text',
    text_body: 'text',
    anonymity: 'int',
    adoption: 'int',
    invited: 'int',
    views_count: 'int',
    deleted_at: 'time',
    ...TIMES,
  },
  async write(tx, rows, batch) {
    const people = await batch.findBy('users', rows, 'user_id')
    const found = await batch.findBy('questions', rows, 'question_id')
    const given = rows.flatMap((row) => {
      if (!people.has(row.user_id ?? 0)) batch.leaveOut(row, 'its author no longer exists')
      else if (!found.has(row.question_id ?? 0)) batch.leaveOut(row, 'the question no longer exists')
      else if (row.deleted_at !== null) batch.leaveOut(row, 'deleted')
      else {
        const adopted = `adopted ${row.question_id}`
        const again = row.adoption === 1 && batch.memory.has(adopted)
        if (again) batch.mend(row, 'second adopted answer: adoption removed', 'adoption')
        if (row.adoption === 1) batch.memory.set(adopted, true)
        return [
          {
            id: row.id,
            question_id: row.question_id,
            user_id: row.user_id,
            body: row.body ?? '',
            text_body: excerptOf(row.body, row.text_body),
            anonymity: batch.has('anonymity') && row.anonymity !== 0,
            adoption: row.adoption === 1 && !again,
            invited: row.invited === 1,
            views_count: Math.max(row.views_count ?? 0, 0),
            ...timesOf(row),
          },
        ]
      }
      return []
    })
    const columns = {
      id: 'bigint',
      question_id: 'bigint',
      user_id: 'bigint',
      body: 'text',
      text_body: 'text',
      anonymity: 'boolean',
      adoption: 'boolean',
      invited: 'boolean',
      views_count: 'bigint',
      ...TIME_COLUMNS,
    }
    await upsert(tx, 'answers', columns, given)
    await claimNamed(
      tx,
      'answers',
      given.map(({ question_id, body }) => ({ placeId: question_id ?? 0, text: body })),
    )
  },
})

export const onlookers = defineTable({
  table: 'answer_onlooker',
  by: 'answer_id',
  width: 2000,
  into: [{ table: 'answer_onlookers', key: { answer_id: 'answer_id', user_id: 'user_id' } }],
  key: ['answer_id', 'user_id'],
  gone: emptied('answer_onlookers'),
  reread: 'always',
  columns: { answer_id: 'int', user_id: 'int', created_at: 'time' },
  async write(tx, rows, batch) {
    const people = await batch.findBy('users', rows, 'user_id')
    const found = await batch.findBy('question-answers', rows, 'answer_id')
    const [setting] = await tx<{ amount: number }[]>`
      select value::text::bigint as amount from settings where name = 'question:onlookers-amount'`
    const given = rows.flatMap((row) => {
      if (!people.has(row.user_id ?? 0)) batch.leaveOut(row, 'the user no longer exists')
      else if (!found.has(row.answer_id ?? 0)) batch.leaveOut(row, 'the answer no longer exists')
      else
        return [
          {
            answer_id: row.answer_id,
            user_id: row.user_id,
            // Uses the current price, because the source does not store the paid amount.
            amount: setting?.amount ?? 100,
            created_at: row.created_at ?? EPOCH,
          },
        ]
      return []
    })
    const columns = { answer_id: 'bigint', user_id: 'bigint', amount: 'bigint', created_at: 'timestamptz' }
    await upsert(tx, 'answer_onlookers', columns, given, { key: ['answer_id', 'user_id'] })
  },
})

export const income = defineTable({
  table: 'topic_expert_income',
  by: 'user_id',
  width: 2000,
  into: null,
  key: ['user_id', 'charge_id'],
  gone: emptied('question_people'),
  reread: 'always',
  columns: { user_id: 'int', charge_id: 'int', amount: 'int' },
  async write(tx, rows, batch) {
    const people = await batch.findBy('users', rows, 'user_id')
    const sums = new Map<number, number>()
    for (const row of rows) {
      const id = row.user_id ?? 0
      if (!people.has(id)) batch.leaveOut(row, 'the user no longer exists')
      else {
        const sum = ((batch.memory.get(`sum ${id}`) as number | undefined) ?? 0) + (row.amount ?? 0)
        batch.memory.set(`sum ${id}`, sum)
        sums.set(id, sum)
      }
    }
    await upsert(
      tx,
      'question_people',
      { user_id: 'bigint', income: 'bigint' },
      [...sums].map(([user_id, sum]) => ({ user_id, income: sum })),
      { key: ['user_id'] },
    )
  },
})

import { nameKey } from '#lib/text.ts'
import { defineTable, type ImportStep } from '../../database/table.ts'
import { EPOCH } from '../../database/times.ts'
import { all, custom, released, replaced } from '../../database/vanishing.ts'
import { upsert } from '../../database/write.ts'
import { noteImportedHolds } from '../ledger/balances.ts'

const STATES = ['pending', 'passed', 'rejected']

export const applications = defineTable({
  table: 'question_application',
  by: 'id',
  into: [
    {
      table: 'question_applications',
      columns: {
        expires_at: null,
        examiner: null,
        status: { column: 'state', as: (status) => STATES[Number(status)] },
      },
    },
  ],
  key: ['id'],
  gone: all(released('question-applications'), replaced('question_applications')),
  reread: 'always',
  columns: {
    id: 'int',
    user_id: 'int',
    question_id: 'int',
    amount: 'int',
    expires_at: 'time',
    examiner: 'int',
    status: 'int',
    created_at: 'time',
  },
  async write(tx, rows, batch) {
    const people = await batch.findBy('users', rows, 'user_id')
    const found = await batch.findBy('questions', rows, 'question_id')
    const ids = rows.map(({ id }) => id ?? 0)
    const open = await tx<{ id: number }[]>`
      select question_id as id from question_applications
      where state = 'pending' and question_id = any(${rows.map(({ question_id }) => question_id ?? 0)})
        and not id = any(${ids})`
    const waiting = new Set(open.map(({ id }) => id))
    const refund = batch.options.waiting === 'refund'
    const holds: Parameters<typeof noteImportedHolds>[3] = []
    const given = rows.flatMap((row) => {
      const amount = row.amount ?? 0
      const waits = row.status !== 1 && row.status !== 2
      if (!people.has(row.user_id ?? 0)) batch.leaveOut(row, 'the user no longer exists')
      else if (!found.has(row.question_id ?? 0)) batch.leaveOut(row, 'the question no longer exists')
      else if (amount < 1) batch.leaveOut(row, 'unpaid request')
      else {
        const back = waits && (refund || waiting.has(row.question_id ?? 0))
        if (back) batch.mend(row, 'refunded by the import')
        if (waits) {
          waiting.add(row.question_id ?? 0)
          holds.push({
            subjectId: row.id ?? 0,
            ownerId: row.user_id ?? 0,
            currency: 'points',
            amount,
            kind: 'excellence',
            refundKind: 'excellence:refunded',
            givenBack: back,
          })
        }
        const created = row.created_at ?? EPOCH
        return [
          {
            id: row.id,
            question_id: row.question_id,
            user_id: row.user_id,
            amount,
            state: back ? 'cancelled' : waits ? 'pending' : row.status === 1 ? 'passed' : 'rejected',
            decided_by: waits ? null : row.examiner,
            decided_at: waits && !back ? null : (row.expires_at ?? created),
            created_at: created,
          },
        ]
      }
      return []
    })
    const columns = {
      id: 'bigint',
      question_id: 'bigint',
      user_id: 'bigint',
      amount: 'bigint',
      state: 'text',
      decided_by: 'bigint',
      decided_at: 'timestamptz',
      created_at: 'timestamptz',
    }
    await upsert(tx, 'question_applications', columns, given)
    await noteImportedHolds(tx, 'question-applications', ids, holds)
  },
})

/** Clears proposals first, because two tables of the source hold them. */
export const clearProposals: ImportStep = {
  name: 'earlier proposals',
  run: ({ transaction }) => transaction((tx) => tx`delete from question_topic_applications`),
}

export const proposals = ['question_topic_applications', 'topic_application'].map((table) =>
  defineTable({
    table,
    by: 'id',
    into: [
      {
        table: 'question_topic_applications',
        columns: {
          examiner: null,
          status: { column: 'state', as: (status) => STATES[Number(status)] },
          expires_at: null,
        },
      },
    ],
    key: ['id'],
    gone: custom('remove', {}),
    reread: 'always',
    columns: {
      id: 'int',
      user_id: 'int',
      name: 'text',
      description: 'text',
      examiner: 'int',
      status: 'int',
      expires_at: 'time',
      created_at: 'time',
    },
    async write(tx, rows, batch) {
      const people = await batch.findBy('users', rows, 'user_id')
      const given = rows.flatMap((row) => {
        const name = row.name?.trim() || `topic ${row.id}`
        const waits = row.status !== 1 && row.status !== 2
        const same = `${row.user_id} ${nameKey(name)}`
        if (!people.has(row.user_id ?? 0)) batch.leaveOut(row, 'the user no longer exists')
        else if (waits && batch.memory.has(same)) batch.merge(row, 'duplicate proposal')
        else {
          if (waits) batch.memory.set(same, true)
          const created = row.created_at ?? EPOCH
          return [
            {
              id: row.id,
              user_id: row.user_id,
              name,
              name_key: nameKey(name),
              description: row.description ?? '',
              state: waits ? 'pending' : row.status === 1 ? 'passed' : 'rejected',
              decided_by: waits ? null : row.examiner,
              decided_at: waits ? null : (row.expires_at ?? created),
              created_at: created,
            },
          ]
        }
        return []
      })
      const columns = {
        id: 'bigint',
        user_id: 'bigint',
        name: 'text',
        name_key: 'text',
        description: 'text',
        state: 'text',
        decided_by: 'bigint',
        decided_at: 'timestamptz',
        created_at: 'timestamptz',
      }
      await upsert(tx, 'question_topic_applications', columns, given)
    },
  }),
)

import { grams, nameKey, plainText } from '#lib/text.ts'
import { applyPictures, nodePicture, wantPictures } from '#modules/files/index.ts'
import { setHolds } from '#modules/ledger/index.ts'
import type { Tx } from '#platform/database.ts'
import { type Batch, defineTable, type ImportStep, type SourceRow } from '#platform/database-import/table.ts'
import { relation, uniqueNames, upsert } from '#platform/database-import/write.ts'

const EPOCH = new Date(0).toISOString()
const EXCERPT = 300

const excerptOf = (body: string | null, given: string | null) => given ?? plainText(body ?? '', EXCERPT)

const topics = defineTable({
  table: 'topics',
  by: 'id',
  key: ['id'],
  columns: {
    id: 'int',
    name: 'text',
    description: 'text',
    avatar: 'text',
    created_at: 'time',
    updated_at: 'time',
  },
  async write(tx, rows, batch) {
    const names = await uniqueNames(tx, 'question_topics', rows, 'topic', batch)
    const given = rows.map((row) => {
      const name = names.get(row) ?? ''
      return {
        id: row.id,
        name,
        name_key: nameKey(name),
        name_grams: grams(name),
        description: row.description ?? '',
        created_at: row.created_at ?? EPOCH,
        updated_at: row.updated_at ?? row.created_at ?? EPOCH,
      }
    })
    const columns = {
      id: 'bigint',
      name: 'text',
      name_key: 'text',
      name_grams: 'text[]',
      description: 'text',
      created_at: 'timestamptz',
      updated_at: 'timestamptz',
    }
    await upsert(tx, 'question_topics', columns, given)
    const ids = rows.map(({ id }) => id ?? 0)
    await tx`insert into question_topic_counts (topic_id) select unnest(${ids}::bigint[]) on conflict do nothing`
    const pictures = rows.flatMap(({ id, avatar }) =>
      avatar?.includes('/') ? [{ id: id ?? 0, ownerId: 0, ...nodePicture(avatar) }] : [],
    )
    await wantPictures(tx, 'question_topics.avatar', ids, pictures)
  },
})

/** A table of a person beside a topic or a question. */
const pairs = (
  table: string,
  to: string,
  of: { kind: string; column: string; gone: string; by: string },
  timed: boolean,
) =>
  defineTable({
    table,
    by: of.by,
    width: 2000,
    key: [of.column, 'user_id'],
    columns: { [of.column]: 'int', user_id: 'int', created_at: 'time' } as Record<string, 'int' | 'time'>,
    async write(tx, rows, batch) {
      const people = await batch.find(
        'users',
        rows.map((row) => Number(row.user_id)),
      )
      const found = await batch.find(
        of.kind,
        rows.map((row) => Number(row[of.column])),
      )
      const given = rows.flatMap((row) => {
        if (!people.has(Number(row.user_id))) batch.leaveOut(row, 'the person is gone')
        else if (!found.has(Number(row[of.column]))) batch.leaveOut(row, of.gone)
        else
          return [
            {
              [of.column]: row[of.column],
              user_id: row.user_id,
              ...(timed ? { created_at: row.created_at ?? EPOCH } : {}),
            },
          ]
        return []
      })
      const columns = {
        [of.column]: 'bigint',
        user_id: 'bigint',
        ...(timed ? { created_at: 'timestamptz' } : {}),
      }
      await upsert(tx, to, columns, given, { key: ['user_id', of.column], keep: ['created_at'] })
    },
    sweep: (tx, { from, to: end }, rows) => tx`
      delete from ${tx(to)} t where ${tx(of.by)} >= ${from} and ${tx(of.by)} < ${end} and not exists (
        select from ${relation(tx, { [of.column]: 'bigint', user_id: 'bigint' }, rows)}
        where r.user_id = t.user_id and r.${tx(of.column)} = t.${tx(of.column)})`,
  })

const TOPIC = { kind: 'question-topics', column: 'topic_id', gone: 'the topic is gone', by: 'topic_id' }
const QUESTION = {
  kind: 'questions',
  column: 'question_id',
  gone: 'the question is gone',
  by: 'question_id',
}
const followers = pairs('topic_user', 'question_topic_followers', TOPIC, true)
const experts = pairs('topic_expert', 'question_topic_experts', TOPIC, true)
const watchers = pairs('question_watcher', 'question_watchers', QUESTION, true)
const invitations = pairs('question_invitation', 'question_invitations', QUESTION, false)

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
  created_at: 'time',
  updated_at: 'time',
} as const

async function writeQuestions(tx: Tx, rows: SourceRow<typeof QUESTIONS>[], batch: Batch): Promise<void> {
  const people = await batch.find(
    'users',
    rows.map((row) => row.user_id),
  )
  const refund = batch.options.waiting === 'refund'
  const holds: Parameters<typeof setHolds>[3] = []
  const given = rows.flatMap((row) => {
    if (!people.has(row.user_id ?? 0)) {
      batch.leaveOut(row, 'its author is gone')
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
      batch.mend(row, 'its answer was to be paid for without a bounty for an expert: free')
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
        anonymity: row.anonymity === 1,
        amount,
        bounty: amount === 0 ? 'none' : waits ? 'held' : 'paid',
        automaticity,
        look: row.look === 1 && automaticity,
        excellent: row.excellent === 1,
        status,
        views_count: Math.max(row.views_count ?? 0, 0),
        created_at: row.created_at ?? EPOCH,
        updated_at: row.updated_at ?? row.created_at ?? EPOCH,
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
    created_at: 'timestamptz',
    updated_at: 'timestamptz',
  }
  await upsert(tx, 'questions', columns, given)
  await setHolds(
    tx,
    'questions',
    rows.map(({ id }) => id ?? 0),
    holds,
  )
}

const questions = defineTable({
  table: 'questions',
  by: 'id',
  width: 2000,
  batch: 500,
  key: ['id'],
  columns: QUESTIONS,
  write: writeQuestions,
})

const topicLinks = defineTable({
  table: 'question_topic',
  by: 'question_id',
  width: 2000,
  key: ['question_id', 'topic_id'],
  columns: { question_id: 'int', topic_id: 'int' },
  async write(tx, rows, batch) {
    const found = await batch.find(
      'questions',
      rows.map((row) => row.question_id),
    )
    const known = await batch.find(
      'question-topics',
      rows.map((row) => row.topic_id),
    )
    const given = rows.filter((row) => {
      if (!found.has(row.question_id ?? 0)) batch.leaveOut(row, 'the question is gone')
      else if (!known.has(row.topic_id ?? 0)) batch.leaveOut(row, 'the topic is gone')
      else return true
      return false
    })
    await upsert(tx, 'question_topic_links', { question_id: 'bigint', topic_id: 'bigint' }, given, {
      key: ['topic_id', 'question_id'],
    })
  },
})

const answers = defineTable({
  table: 'answers',
  by: 'question_id',
  width: 1000,
  batch: 500,
  key: ['id'],
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
    created_at: 'time',
    updated_at: 'time',
  },
  async write(tx, rows, batch) {
    const people = await batch.find(
      'users',
      rows.map((row) => row.user_id),
    )
    const found = await batch.find(
      'questions',
      rows.map((row) => row.question_id),
    )
    const given = rows.flatMap((row) => {
      if (!people.has(row.user_id ?? 0)) batch.leaveOut(row, 'its author is gone')
      else if (!found.has(row.question_id ?? 0)) batch.leaveOut(row, 'the question is gone')
      else if (row.deleted_at !== null) batch.leaveOut(row, 'deleted')
      else {
        const adopted = `adopted ${row.question_id}`
        const again = row.adoption === 1 && batch.memory.has(adopted)
        if (again) batch.mend(row, 'a second adopted answer: not adopted')
        if (row.adoption === 1) batch.memory.set(adopted, true)
        return [
          {
            id: row.id,
            question_id: row.question_id,
            user_id: row.user_id,
            body: row.body ?? '',
            text_body: excerptOf(row.body, row.text_body),
            anonymity: row.anonymity === 1,
            adoption: row.adoption === 1 && !again,
            invited: row.invited === 1,
            views_count: Math.max(row.views_count ?? 0, 0),
            created_at: row.created_at ?? EPOCH,
            updated_at: row.updated_at ?? row.created_at ?? EPOCH,
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
      created_at: 'timestamptz',
      updated_at: 'timestamptz',
    }
    await upsert(tx, 'answers', columns, given)
  },
  sweep: (tx, { from, to }, rows) => tx`
    delete from answers where question_id >= ${from} and question_id < ${to}
      and not id = any(${rows.map(({ id }) => id ?? 0)})`,
})

const onlookers = defineTable({
  table: 'answer_onlooker',
  by: 'answer_id',
  width: 2000,
  key: ['answer_id', 'user_id'],
  columns: { answer_id: 'int', user_id: 'int', created_at: 'time' },
  async write(tx, rows, batch) {
    const people = await batch.find(
      'users',
      rows.map((row) => row.user_id),
    )
    const found = await batch.find(
      'question-answers',
      rows.map((row) => row.answer_id),
    )
    const [setting] = await tx<{ amount: number }[]>`
      select value::text::bigint as amount from settings where name = 'question:onlookers-amount'`
    const given = rows.flatMap((row) => {
      if (!people.has(row.user_id ?? 0)) batch.leaveOut(row, 'the person is gone')
      else if (!found.has(row.answer_id ?? 0)) batch.leaveOut(row, 'the answer is gone')
      else
        return [
          {
            answer_id: row.answer_id,
            user_id: row.user_id,
            // What was paid is not known any more.
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

const income = defineTable({
  table: 'topic_expert_income',
  by: 'user_id',
  width: 2000,
  key: ['user_id', 'charge_id'],
  columns: { user_id: 'int', charge_id: 'int', amount: 'int' },
  async write(tx, rows, batch) {
    const people = await batch.find(
      'users',
      rows.map((row) => row.user_id),
    )
    const sums = new Map<number, number>()
    for (const row of rows) {
      const id = row.user_id ?? 0
      if (!people.has(id)) batch.leaveOut(row, 'the person is gone')
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

const applications = defineTable({
  table: 'question_application',
  by: 'id',
  key: ['id'],
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
    const people = await batch.find(
      'users',
      rows.map((row) => row.user_id),
    )
    const found = await batch.find(
      'questions',
      rows.map((row) => row.question_id),
    )
    const ids = rows.map(({ id }) => id ?? 0)
    const open = await tx<{ id: number }[]>`
      select question_id as id from question_applications
      where state = 'pending' and question_id = any(${rows.map(({ question_id }) => question_id ?? 0)})
        and not id = any(${ids})`
    const waiting = new Set(open.map(({ id }) => id))
    const refund = batch.options.waiting === 'refund'
    const holds: Parameters<typeof setHolds>[3] = []
    const given = rows.flatMap((row) => {
      const amount = row.amount ?? 0
      const waits = row.status !== 1 && row.status !== 2
      if (!people.has(row.user_id ?? 0)) batch.leaveOut(row, 'the person is gone')
      else if (!found.has(row.question_id ?? 0)) batch.leaveOut(row, 'the question is gone')
      else if (amount < 1) batch.leaveOut(row, 'a request that nothing was paid for')
      else {
        const back = waits && (refund || waiting.has(row.question_id ?? 0))
        if (back) batch.mend(row, 'given back when the site moved')
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
    await setHolds(tx, 'question-applications', ids, holds)
  },
})

/** Versions differ in what they call the table. */
const proposals = ['question_topic_applications', 'topic_application'].map((table) =>
  defineTable({
    table,
    by: 'id',
    key: ['id'],
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
      const people = await batch.find(
        'users',
        rows.map((row) => row.user_id),
      )
      const given = rows.flatMap((row) => {
        const name = row.name?.trim() || `topic ${row.id}`
        const waits = row.status !== 1 && row.status !== 2
        const same = `${row.user_id} ${nameKey(name)}`
        if (!people.has(row.user_id ?? 0)) batch.leaveOut(row, 'the person is gone')
        else if (waits && batch.memory.has(same)) batch.merge(row, 'proposed twice')
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

/** Bounties that an invited expert has earned already, or that are given back, and who is ranked by answers. */
export const settleQuestions: ImportStep = {
  name: 'bounties',
  async run({ transaction, options, note }) {
    const returned = await transaction(async (tx) => {
      const paid = await tx<{ id: number }[]>`
        update questions q set bounty = 'paid' where bounty = 'held' and automaticity and exists (
          select from answers a where a.question_id = q.id and a.invited)
        returning id`
      await setHolds(
        tx,
        'questions',
        paid.map(({ id }) => id),
        [],
      )
      await tx`
        insert into question_people (user_id) select distinct user_id from answers where not anonymity
        on conflict do nothing`
      if (options.waiting === 'keep') return []
      return tx<{ id: number }[]>`
        update questions set bounty = 'none', amount = 0, automaticity = false, look = false where bounty = 'held'
        returning id`
    })
    for (const { id } of returned)
      await note(`question ${id}`, 'its bounty was given back when the site moved')
  },
}

/** Shows the pictures of topics whose bytes are here. */
export const showTopicPictures: ImportStep = {
  name: 'pictures of question topics',
  run: ({ transaction }) =>
    transaction((tx) => applyPictures(tx, 'question_topics.avatar', 'question_topics', 'avatar')),
}

/** Questions, answers and the topics of both. */
export const questionTables = [
  topics,
  followers,
  experts,
  questions,
  topicLinks,
  invitations,
  watchers,
  answers,
  onlookers,
  income,
  applications,
  ...proposals,
]

import { grams, nameKey } from '#lib/text.ts'
import { defineTable } from '../../database/table.ts'
import { EPOCH, TIME_COLUMNS, TIMES, timesOf } from '../../database/times.ts'
import { all, existing, freedNames, removed, withoutPictures } from '../../database/vanishing.ts'
import { uniqueNames, upsert } from '../../database/write.ts'
import { nodePicture, wantPictures } from '../files/pictures.ts'

export const topics = defineTable({
  table: 'topics',
  by: 'id',
  into: [{ table: 'question_topics', columns: { avatar: null, status: null } }],
  key: ['id'],
  gone: all(
    freedNames('question_topics'),
    removed('question_topics'),
    withoutPictures('question_topics.avatar'),
  ),
  reread: 'always',
  states: existing('question-topics', 'question_topics'),
  columns: {
    id: 'int',
    name: 'text',
    description: 'text',
    avatar: 'text',
    status: 'int',
    ...TIMES,
  },
  async write(tx, rows, batch) {
    const kept = rows.filter((row) => {
      if (!batch.has('status') || row.status === 1) return true
      batch.leaveOut(row, 'disabled')
      return false
    })
    const names = await uniqueNames(tx, 'question_topics', kept, 'topic', batch)
    const given = kept.map((row) => {
      const name = names.get(row) ?? ''
      return {
        id: row.id,
        name,
        name_key: nameKey(name),
        name_grams: grams(name),
        description: row.description ?? '',
        ...timesOf(row),
      }
    })
    const columns = {
      id: 'bigint',
      name: 'text',
      name_key: 'text',
      name_grams: 'text[]',
      description: 'text',
      ...TIME_COLUMNS,
    }
    await upsert(tx, 'question_topics', columns, given)
    const ids = kept.map(({ id }) => id ?? 0)
    await tx`insert into question_topic_counts (topic_id) select unnest(${ids}::bigint[]) on conflict do nothing`
    const pictures = kept.flatMap(({ id, avatar }) =>
      avatar?.includes('/') ? [{ id: id ?? 0, ownerId: 0, ...nodePicture(avatar) }] : [],
    )
    await wantPictures(tx, 'question_topics.avatar', ids, pictures)
  },
})

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
    into: [
      {
        table: to,
        key: { user_id: 'user_id', [of.column]: of.column },
        columns: timed ? {} : { created_at: null },
      },
    ],
    key: [of.column, 'user_id'],
    gone: removed({ table: to, by: of.by, key: { user_id: 'user_id', [of.column]: of.column } }),
    reread: 'always',
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
        if (!people.has(Number(row.user_id))) batch.leaveOut(row, 'the user no longer exists')
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
      await upsert(tx, to, columns, given, { key: ['user_id', of.column] })
    },
  })

const TOPIC = {
  kind: 'question-topics',
  column: 'topic_id',
  gone: 'the topic no longer exists',
  by: 'topic_id',
}
const QUESTION = {
  kind: 'questions',
  column: 'question_id',
  gone: 'the question no longer exists',
  by: 'question_id',
}
export const followers = pairs('topic_user', 'question_topic_followers', TOPIC, true)
export const experts = pairs('topic_expert', 'question_topic_experts', TOPIC, true)
export const watchers = pairs('question_watcher', 'question_watchers', QUESTION, true)
export const invitations = pairs('question_invitation', 'question_invitations', QUESTION, false)

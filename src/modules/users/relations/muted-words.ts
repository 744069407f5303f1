import { nameKey } from '#lib/text.ts'
import { wireTimeOrNull } from '#lib/time.ts'
import type { Context } from '#platform/context.ts'
import { type Db, transaction } from '#platform/database'
import { apiError, notFound } from '#platform/errors.ts'
import { Empty, Id, Int, Nullable, routesOn, type Server, Shared, Text, Time, Type } from '#platform/http'

const HOURS_MAX = 8760
const WORD_MAX = 50
/** Every feed of a list is compared with all words of the viewer. */
const WORDS_MAX = 100

const emptyWord = apiError(422, 'empty_word', 'This word has no letters or signs.', '屏蔽词不能为空。')
const tooManyWords = apiError(
  422,
  'too_many_words',
  `You cannot mute more than ${WORDS_MAX} words.`,
  `最多只能屏蔽 ${WORDS_MAX} 个词。`,
)

const NewMutedWord = Shared('NewMutedWord', {
  word: Text(WORD_MAX),
  hours: Type.Optional(Int(1, HOURS_MAX, { description: 'Default: no end' })),
})
const MutedWord = Shared('MutedWord', {
  id: Type.Integer(),
  word: Type.String({ description: 'With a leading #, the name of a topic' }),
  ends_at: Nullable(Time),
})
const WordMade = Shared('MutedWordMade', { id: Type.Integer() })
const WordParams = Type.Object({ word: Id })

/** Locks the user's counters, so that concurrent requests do not exceed the maximum. */
async function insertWord(
  sql: Db,
  userId: number,
  { word, key, hours }: { word: string; key: string; hours: number | undefined },
): Promise<number> {
  await sql`select from user_counts where user_id = ${userId} for update`
  const [{ others }] = await sql<[{ others: number }]>`
    select count(*)::int as others from muted_words where user_id = ${userId} and word_key <> ${key}`
  if (others >= WORDS_MAX) throw tooManyWords()
  const [row] = await sql<[{ id: number }]>`
    insert into muted_words (user_id, word_key, word, ends_at)
    values (${userId}, ${key}, ${word}, now() + make_interval(hours => ${hours ?? null}::int))
    on conflict (user_id, word_key) do update set word = excluded.word, ends_at = excluded.ends_at
    returning id`
  return row.id
}

const listWords = (sql: Db, userId: number) => sql<{ id: number; word: string; ends_at: string | null }[]>`
  select w.id, w.word, w.ends_at from muted_words w
  where w.user_id = ${userId} and (w.ends_at is null or w.ends_at > now()) order by w.id desc`

const BATCH = 5000

export async function deleteEndedWords({ sql }: Context): Promise<void> {
  for (;;) {
    const { count } = await sql`
      delete from muted_words where (user_id, word_key) in (
        select user_id, word_key from muted_words where ends_at < now() limit ${BATCH}
      )`
    if (count < BATCH) return
  }
}

/** Finds the first of the folded `words` in a text or, with a leading #, among the folded names of its topics. */
export function findMutedWord(
  words: readonly string[],
  text: string | null,
  topicKeys: readonly string[],
): string | null {
  if (words.length === 0) return null
  const key = nameKey(text ?? '')
  return words.find((word) => key.includes(word) || topicKeys.some((name) => `#${name}` === word)) ?? null
}

export function mutedWordRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const route = routesOn(server, ctx, { tag: 'Relations' })

  route('GET /user/muted-words', {
    operationId: 'listMutedWords',
    summary: 'List words I mute, newest first',
    access: 'user',
    reply: { 200: Type.Array(MutedWord) },
    handler: async ({ viewer }) =>
      (await listWords(sql, viewer.id)).map((row) => ({ ...row, ends_at: wireTimeOrNull(row.ends_at) })),
  })

  route('POST /user/muted-words', {
    operationId: 'muteWord',
    summary: 'Mute a word, or with a leading # a topic; with `hours` for a time',
    whileSilenced: true,
    access: 'user',
    body: NewMutedWord,
    reply: { 201: WordMade },
    errors: [emptyWord, tooManyWords],
    async handler({ viewer, body: { word, hours } }) {
      const key = nameKey(word)
      if (key === '' || key === '#') throw emptyWord()
      return { id: await transaction(sql, (tx) => insertWord(tx, viewer.id, { word, key, hours })) }
    },
  })

  route('DELETE /user/muted-words/:word', {
    operationId: 'unmuteWord',
    summary: 'Stop muting a word',
    whileSilenced: true,
    access: 'user',
    params: WordParams,
    reply: { 204: Empty },
    errors: [notFound],
    async handler({ viewer, params }) {
      const { count } =
        await sql`delete from muted_words where user_id = ${viewer.id} and id = ${params.word}`
      if (count === 0) throw notFound()
    },
  })
}

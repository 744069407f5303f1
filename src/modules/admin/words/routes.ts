import { withWireTimes } from '#lib/time.ts'
import { addWord, changeWord, forgetWords, noSuchWord, removeWord } from '#modules/words/index.ts'
import type { Context } from '#platform/context.ts'
import type { Server } from '#platform/http.ts'
import { recordRoutes } from '../records.ts'
import { findWordRecord, listWordRecords } from './queries.ts'
import { NewWord, WordQuery, WordRecord } from './schema.ts'

/** The list of sensitive words; every node uses a changed one within a second. */
export function adminWordRoutes(server: Server, ctx: Context) {
  recordRoutes(server, ctx, {
    path: '/admin/sensitive-words',
    ability: 'admin: sensitive words',
    subject: 'sensitive-words',
    noun: 'a sensitive word',
    item: WordRecord,
    query: WordQuery,
    body: NewWord,
    missing: noSuchWord,
    list: listWordRecords,
    find: findWordRecord,
    view: async (rows) => rows.map(withWireTimes),
    create: (tx, _, body) => addWord(ctx, tx, body),
    change: (tx, _, { id }, body) => changeWord(ctx, tx, id, body),
    remove: (tx, { id }) => removeWord(ctx, tx, id),
    afterwards: () => forgetWords(ctx),
  })
}

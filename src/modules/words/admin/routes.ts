import { withWireTimes } from '#lib/time.ts'
import { mountAdminCrud } from '#modules/audit/index.ts'
import type { Context } from '#platform/context.ts'
import type { Server } from '#platform/http.ts'
import { noSuchWord, wordTaken } from '../errors.ts'
import { addWord, changeWord, forgetWords, removeWord } from '../service.ts'
import { findWordRecord, listWordRecords } from './queries.ts'
import { NewWord, WordQuery, WordRecord } from './schema.ts'

/** The list of sensitive words; every node uses a changed one within a second (feeds-35). */
export function adminWordRoutes(server: Server, ctx: Context) {
  mountAdminCrud(server, ctx, {
    path: '/admin/sensitive-words',
    tag: 'Admin: moderation',
    ability: 'admin: sensitive words',
    subject: 'sensitive-words',
    entity: 'SensitiveWord',
    noun: 'a sensitive word',
    item: WordRecord,
    query: WordQuery,
    body: NewWord,
    missing: noSuchWord,
    errors: [wordTaken],
    list: listWordRecords,
    find: findWordRecord,
    view: async (rows) => rows.map(withWireTimes),
    create: (tx, _, body) => addWord(ctx, tx, body),
    change: (tx, _, { id }, body) => changeWord(ctx, tx, id, body),
    remove: (tx, { id }) => removeWord(ctx, tx, id),
    afterCommit: () => forgetWords(ctx),
  })
}

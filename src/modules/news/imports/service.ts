import { nameKey, plainText } from '#lib/text.ts'
import { zuluTime } from '#lib/time.ts'
import { importComments } from '#modules/comments/index.ts'
import type { Db } from '#platform/database.ts'
import { type Fault, type Importer, sift } from '#platform/import-lines.ts'
import { listCategories } from '../categories/queries.ts'
import { SUBJECT_MAX } from '../contributions/service.ts'
import {
  categoriesByName,
  countImported,
  exportComments,
  exportNews,
  findImported,
  insertImported,
  insertTags,
  peopleByName,
  tagsByName,
  upsertCategories,
} from './queries.ts'
import { NEWS_FORMS } from './schema.ts'

const invisible = (text: string) => nameKey(text) === ''
const distinct = (texts: string[]) => [...new Set(texts)]

/** `kith import news`: categories, published articles and comments. What is there already is left as it is. */
export const newsImporter: Importer<typeof NEWS_FORMS> = {
  name: 'news',
  forms: NEWS_FORMS,
  async write(tx, { category, article, comment }) {
    const faults: Fault[] = []
    const categories = sift(category, faults, ({ name }) =>
      invisible(name) ? 'the name shows no character' : undefined,
    )
    await upsertCategories(
      tx,
      categories.map(({ value: { name, rank = 0 } }) => ({ name, rank })),
    )

    const users = [...article, ...comment].map(({ value }) => value.user)
    const [people, tags] = await Promise.all([
      peopleByName(tx, distinct(users)),
      tagsByName(tx, distinct(article.flatMap(({ value }) => value.tags ?? []))),
    ])
    const nobody = (user: string) => (people.has(nameKey(user)) ? undefined : `there is nobody named ${user}`)
    const articles = sift(article, faults, (value) => {
      if (invisible(value.title)) return 'the title shows no character'
      if (invisible(value.category)) return 'the category shows no character'
      const tag = value.tags?.find((name) => !tags.has(nameKey(name)))
      return nobody(value.user) ?? (tag === undefined ? undefined : `there is no tag ${tag}`)
    }).map(({ value }) => value)
    const ranked = await categoriesByName(
      tx,
      articles.map((value) => value.category),
    )
    const unique = [...new Map(articles.map((value) => [value.id, value])).values()]
    const made = await insertImported(
      tx,
      unique.map((value) => ({
        id: value.id,
        title: value.title,
        subject: value.subject || plainText(value.content, SUBJECT_MAX),
        subjectGiven: Boolean(value.subject),
        content: value.content,
        from: value.from ?? null,
        author: value.author ?? null,
        userId: people.get(nameKey(value.user)) ?? 0,
        categoryId: ranked.get(nameKey(value.category)) ?? 0,
        recommended: value.recommend ?? false,
        hits: value.hits ?? 0,
        createdAt: value.created_at ?? null,
      })),
    )

    const wanted = [...unique.map(({ id }) => id), ...comment.map(({ value }) => value.news)]
    const found = await findImported(tx, distinct(wanted))
    await insertTags(
      tx,
      unique
        .filter(({ id }) => made.has(id))
        .flatMap(({ id, tags: names = [] }) =>
          names.map((name) => ({ newsId: found.get(id)?.id ?? 0, tagId: tags.get(nameKey(name)) ?? 0 })),
        ),
    )
    const comments = sift(comment, faults, ({ news, user }) =>
      found.get(news)?.published ? nobody(user) : `there is no article ${news}`,
    ).map(({ value }) => ({
      thingId: found.get(value.news)?.id ?? 0,
      userId: people.get(nameKey(value.user)) ?? 0,
      targetUser: found.get(value.news)?.userId ?? 0,
      body: value.body,
      createdAt: value.created_at ?? null,
    }))
    await importComments(tx, 'news', comments)
    await countImported(
      tx,
      comments.map(({ thingId }) => thingId),
    )
    return faults
  },
}

/** All published news in the form that can be imported, a batch at a time. */
export async function* exportAllNews(sql: Db): AsyncGenerator<object[]> {
  yield (await listCategories(sql)).map(({ name, rank }) => ({ kind: 'category', name, rank }))
  for (let after = 0; ; ) {
    const rows = await exportNews(sql, after)
    if (rows.length === 0) break
    after = rows.at(-1)?.n ?? after
    yield rows.map(({ n: _, ...row }) => ({ kind: 'article', ...row, created_at: zuluTime(row.created_at) }))
  }
  for (let after = 0; ; ) {
    const rows = await exportComments(sql, after)
    if (rows.length === 0) break
    after = rows.at(-1)?.n ?? after
    yield rows.map(({ n: _, ...row }) => ({ kind: 'comment', ...row, created_at: zuluTime(row.created_at) }))
  }
}

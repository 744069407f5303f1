import { replaceAttachments } from '#lib/attachments.ts'
import { plainText } from '#lib/markup/parse.ts'
import { nameKey } from '#lib/text.ts'
import { importUsers, UserForm, userIdsByName } from '#modules/accounts/index.ts'
import { importComments } from '#modules/comments/index.ts'
import {
  attachImported,
  ImportPath,
  type SavedFiles,
  saveFiles,
  type WantedFile,
} from '#modules/files/index.ts'
import { importTags, tagsByName } from '#modules/tags/index.ts'
import type { Tx } from '#platform/database'
import { Flag, Id, Int, MAX_ID, Nullable, type Static, Text, Type } from '#platform/http'
import {
  type Importer,
  type ImportFault,
  type ImportSource,
  ImportTime,
  type Line,
  skipInvalid,
} from '#transfer/import-lines.ts'
import { SUBJECT_MAX } from '../service.ts'
import {
  categoriesByName,
  countImported,
  findImported,
  insertImported,
  insertTags,
  upsertCategories,
} from './queries.ts'

const ExternalId = Text(100, { minLength: 1 })
const Kind = Type.Optional(Text(20))

export const NEWS_FORMS = {
  person: UserForm,
  category: Type.Object({
    kind: Kind,
    name: Text(50),
    rank: Type.Optional(Int(-1_000_000, 1_000_000)),
  }),
  tag: Type.Object({
    kind: Kind,
    name: Text(100),
    category: Text(100),
    weight: Type.Optional(Int(-1_000_000, 1_000_000)),
  }),
  article: Type.Object({
    kind: Kind,
    id: ExternalId,
    title: Text(255),
    subject: Type.Optional(Nullable(Text(400))),
    content: Text(100_000, { minLength: 1 }),
    from: Type.Optional(Nullable(Text(100))),
    author: Type.Optional(Nullable(Text(100))),
    user: Text(100),
    category: Text(50),
    tags: Type.Optional(Type.Array(Text(100), { maxItems: 20 })),
    image: Type.Optional(ImportPath),
    /** Uploads that the text embeds by `id`. The import replaces each `id` with the id of a new upload. */
    files: Type.Optional(Type.Array(Type.Object({ id: Id, path: ImportPath }), { maxItems: 100 })),
    recommend: Type.Optional(Flag()),
    hits: Type.Optional(Int(0, MAX_ID)),
    created_at: ImportTime,
    updated_at: ImportTime,
    published_at: ImportTime,
  }),
  comment: Type.Object({
    kind: Kind,
    id: Type.Optional(ExternalId),
    news: ExternalId,
    user: Text(100),
    reply: Type.Optional(Text(100)),
    body: Text(255, { minLength: 1 }),
    created_at: ImportTime,
  }),
}

export type CategoryLine = Static<typeof NEWS_FORMS.category>
export type TagLine = Static<typeof NEWS_FORMS.tag>
export type ArticleLine = Static<typeof NEWS_FORMS.article>
export type CommentLine = Static<typeof NEWS_FORMS.comment>

const invisible = (text: string) => nameKey(text) === ''
const distinct = (texts: string[]) => [...new Set(texts)]

export const newsImporter: Importer<typeof NEWS_FORMS, SavedFiles> = {
  name: 'news',
  forms: NEWS_FORMS,
  filesOf(kind, value) {
    if (kind !== 'article') return 0
    const { image, files = [] } = value as ArticleLine
    return files.length + (image === undefined ? 0 : 1)
  },

  async prepare(ctx, { article }, { folder }) {
    const imported = await findImported(
      ctx.sql,
      article.map(({ value }) => value.id),
    )
    const wanted = article.flatMap(({ number, value: { id, image, files = [] } }): WantedFile[] =>
      imported.has(id)
        ? []
        : [
            ...(image === undefined ? [] : [{ number, field: 'image', path: image, kind: 'image' as const }]),
            ...files.map(({ id: shown, path }) => ({ number, field: `files/${shown}`, path })),
          ],
    )
    const { saved, faults } = await saveFiles(ctx, folder, wanted)
    return { ready: saved, faults }
  },

  async write(tx, { person, category, tag, article, comment }, files, source) {
    const faults: ImportFault[] = []
    await importUsers(tx, person, faults)
    await writeCategories(tx, category, faults)
    await writeTags(tx, tag, faults)
    const names = [...article, ...comment].flatMap(({ value }) => [
      value.user,
      ...('reply' in value && value.reply !== undefined ? [value.reply] : []),
    ])
    const people = await userIdsByName(tx, names)
    await writeArticles(tx, article, files, people, faults)
    await writeComments(tx, comment, source, people, faults)
    return faults
  },
}

async function writeCategories(tx: Tx, lines: Line<CategoryLine>[], faults: ImportFault[]) {
  const categories = skipInvalid(lines, faults, ({ name }) =>
    invisible(name) ? 'the name has no visible characters' : undefined,
  )
  await upsertCategories(
    tx,
    categories.map(({ value: { name, rank = 0 } }) => ({ name, rank })),
  )
}

async function writeTags(tx: Tx, lines: Line<TagLine>[], faults: ImportFault[]) {
  const tags = skipInvalid(lines, faults, ({ name, category }) =>
    invisible(name) || invisible(category) ? 'the name has no visible characters' : undefined,
  )
  await importTags(
    tx,
    tags.map(({ value: { name, category, weight = 0 } }) => ({ name, category, weight })),
  )
}

async function writeArticles(
  tx: Tx,
  lines: Line<ArticleLine>[],
  files: SavedFiles,
  people: Map<string, number>,
  faults: ImportFault[],
) {
  if (lines.length === 0) return
  const tags = await tagsByName(tx, distinct(lines.flatMap(({ value }) => value.tags ?? [])))
  const articles = skipInvalid(lines, faults, (value) => {
    if (invisible(value.title)) return 'the title has no visible characters'
    if (invisible(value.category)) return 'the category has no visible characters'
    if (!people.has(value.user)) return `there is no user named ${value.user}`
    const tag = value.tags?.find((name) => !tags.has(nameKey(name)))
    return tag === undefined ? undefined : `there is no tag ${tag}`
  })
  const unique = new Map(articles.map((line) => [line.value.id, line]))
  const imported = await findImported(tx, [...unique.keys()])
  const fresh = [...unique.values()].filter(({ value }) => !imported.has(value.id))
  const categories = await categoriesByName(tx, distinct(fresh.map(({ value }) => value.category)))
  const written = fresh.map(({ number, value }) => {
    const saved = (value.files ?? []).map(({ id }) => [id, files.of(number, `files/${id}`)?.id ?? 0] as const)
    return {
      value,
      image: files.of(number, 'image'),
      shown: saved.map(([, id]) => id),
      content: replaceAttachments(value.content, new Map(saved)),
    }
  })
  const ids = await insertImported(
    tx,
    written.map(({ value, image, content }) => ({
      key: value.id,
      title: value.title,
      subject: value.subject || plainText(content, SUBJECT_MAX),
      subjectGiven: Boolean(value.subject),
      content,
      from: value.from ?? null,
      author: value.author ?? null,
      userId: people.get(value.user) ?? 0,
      categoryId: categories.get(nameKey(value.category)) ?? 0,
      image: image?.id ?? null,
      imageSize: image?.size ?? null,
      recommended: value.recommend ?? false,
      hits: value.hits ?? 0,
      createdAt: value.created_at ?? null,
      updatedAt: value.updated_at ?? null,
      publishedAt: value.published_at ?? null,
    })),
  )
  const links: { newsId: number; tagId: number }[] = []
  const uses: { id: number; channel: string; raw: number }[] = []
  for (const { value, image, shown } of written) {
    const raw = ids.get(value.id)
    if (raw === undefined) continue
    for (const name of value.tags ?? []) links.push({ newsId: raw, tagId: tags.get(nameKey(name)) ?? 0 })
    if (image) uses.push({ id: image.id, channel: 'news:image', raw })
    for (const id of shown) uses.push({ id, channel: 'news:content', raw })
  }
  await insertTags(tx, links)
  await attachImported(tx, uses)
}

async function writeComments(
  tx: Tx,
  lines: Line<CommentLine>[],
  { hash }: ImportSource,
  people: Map<string, number>,
  faults: ImportFault[],
) {
  if (lines.length === 0) return
  const found = await findImported(
    tx,
    lines.map(({ value }) => value.news),
  )
  const comments = skipInvalid(lines, faults, ({ news, user, reply }) => {
    if (!found.get(news)?.published) return `there is no article ${news}`
    const missing = [user, reply].find((name) => name !== undefined && !people.has(name))
    return missing === undefined ? undefined : `there is no user named ${missing}`
  }).map(({ number, value }) => ({
    type: 'news',
    key: value.id ?? `${hash.slice(0, 32)}:${number}`,
    contentId: found.get(value.news)?.id ?? 0,
    userId: people.get(value.user) ?? 0,
    targetUser: found.get(value.news)?.userId ?? 0,
    replyUser: people.get(value.reply ?? '') ?? 0,
    body: value.body,
    createdAt: value.created_at ?? null,
  }))
  await countImported(tx, (await importComments(tx, comments)).get('news') ?? [])
}

import { replaceAttachments } from '#lib/attachments.ts'
import { nameKey, plainText } from '#lib/text.ts'
import { importPeople, peopleByName } from '#modules/accounts/index.ts'
import { importComments } from '#modules/comments/index.ts'
import { bindFiles, type SavedFiles, saveFiles, type WantedFile } from '#modules/files/index.ts'
import { importTags, tagsByName } from '#modules/tags/index.ts'
import type { Tx } from '#platform/database.ts'
import { type Fault, type Importer, type Line, type Source, sift } from '#platform/import-lines.ts'
import { SUBJECT_MAX } from '../service.ts'
import {
  categoriesByName,
  countImported,
  findImported,
  insertImported,
  insertTags,
  upsertCategories,
} from './queries.ts'
import { type ArticleLine, type CategoryLine, type CommentLine, NEWS_FORMS, type TagLine } from './schema.ts'

const invisible = (text: string) => nameKey(text) === ''
const distinct = (texts: string[]) => [...new Set(texts)]

/** `kith import news`: categories, published articles and comments. What is there already is left as it is. */
export const newsImporter: Importer<typeof NEWS_FORMS, SavedFiles> = {
  name: 'news',
  forms: NEWS_FORMS,
  filesOf(kind, value) {
    if (kind !== 'article') return 0
    const { image, files = [] } = value as ArticleLine
    return files.length + (image === undefined ? 0 : 1)
  },

  async prepare(ctx, { article }, { folder }) {
    const known = await findImported(
      ctx.sql,
      article.map(({ value }) => value.id),
    )
    const wanted = article.flatMap(({ number, value: { id, image, files = [] } }): WantedFile[] =>
      known.has(id)
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
    const faults: Fault[] = []
    await importPeople(tx, person, faults)
    await writeCategories(tx, category, faults)
    await writeTags(tx, tag, faults)
    const names = [...article, ...comment].flatMap(({ value }) => [
      value.user,
      ...('reply' in value && value.reply !== undefined ? [value.reply] : []),
    ])
    const people = await peopleByName(tx, names)
    await writeArticles(tx, article, files, people, faults)
    await writeComments(tx, comment, source, people, faults)
    return faults
  },
}

async function writeCategories(tx: Tx, lines: Line<CategoryLine>[], faults: Fault[]) {
  const categories = sift(lines, faults, ({ name }) =>
    invisible(name) ? 'the name shows no character' : undefined,
  )
  await upsertCategories(
    tx,
    categories.map(({ value: { name, rank = 0 } }) => ({ name, rank })),
  )
}

async function writeTags(tx: Tx, lines: Line<TagLine>[], faults: Fault[]) {
  const tags = sift(lines, faults, ({ name, category }) =>
    invisible(name) || invisible(category) ? 'the name shows no character' : undefined,
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
  faults: Fault[],
) {
  if (lines.length === 0) return
  const tags = await tagsByName(tx, distinct(lines.flatMap(({ value }) => value.tags ?? [])))
  const articles = sift(lines, faults, (value) => {
    if (invisible(value.title)) return 'the title shows no character'
    if (invisible(value.category)) return 'the category shows no character'
    if (!people.has(value.user)) return `there is nobody named ${value.user}`
    const tag = value.tags?.find((name) => !tags.has(nameKey(name)))
    return tag === undefined ? undefined : `there is no tag ${tag}`
  })
  const unique = new Map(articles.map((line) => [line.value.id, line]))
  const known = await findImported(tx, [...unique.keys()])
  const fresh = [...unique.values()].filter(({ value }) => !known.has(value.id))
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
  const made = await insertImported(
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
    const raw = made.get(value.id)
    if (raw === undefined) continue
    for (const name of value.tags ?? []) links.push({ newsId: raw, tagId: tags.get(nameKey(name)) ?? 0 })
    if (image) uses.push({ id: image.id, channel: 'news:image', raw })
    for (const id of shown) uses.push({ id, channel: 'news:content', raw })
  }
  await insertTags(tx, links)
  await bindFiles(tx, uses)
}

async function writeComments(
  tx: Tx,
  lines: Line<CommentLine>[],
  { hash }: Source,
  people: Map<string, number>,
  faults: Fault[],
) {
  if (lines.length === 0) return
  const found = await findImported(
    tx,
    lines.map(({ value }) => value.news),
  )
  const comments = sift(lines, faults, ({ news, user, reply }) => {
    if (!found.get(news)?.published) return `there is no article ${news}`
    const missing = [user, reply].find((name) => name !== undefined && !people.has(name))
    return missing === undefined ? undefined : `there is nobody named ${missing}`
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

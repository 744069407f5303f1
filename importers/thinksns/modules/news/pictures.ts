import { findAttachments } from '#lib/attachments.ts'
import { plainText } from '#lib/markup/parse.ts'
import type { Tx } from '#platform/database'
import type { ImportStep } from '../../database/table.ts'
import { relation } from '../../database/write.ts'
import { claimUses, findUploadsByPath } from '../files/uses.ts'
import { SUBJECT_MAX } from './articles.ts'

const AT_ONCE = 50
/** A picture in Markdown by its address on the disk of the old site, with or without the host. */
const STORED = /(?<!@)!\[([^\]\n]*)\]\((?:https?:\/\/[^/\s()]+)?\/storage\/([^\s()?#]+)[^\s()]*\)/g

const pathOf = (address: string) => {
  try {
    return decodeURIComponent(address)
  } catch {
    return address
  }
}

type Article = { id: number; content: string; subject: string; subject_given: boolean; image: number | null }

async function embed(tx: Tx, articles: Article[], missing: (id: number) => Promise<void>): Promise<void> {
  const paths = articles.flatMap(({ content }) =>
    [...content.matchAll(STORED)].map(([, , address = '']) => pathOf(address)),
  )
  if (paths.length === 0) return
  const uploads = await findUploadsByPath(tx, paths)
  const changed: Article[] = []
  for (const article of articles) {
    let lost = false
    const content = article.content.replace(STORED, (whole, alt: string, address: string) => {
      const upload = uploads.get(pathOf(address))
      lost ||= upload === undefined
      return upload === undefined ? whole : `@![${alt.slice(0, 500)}](${upload})`
    })
    if (lost) await missing(article.id)
    const subject = article.subject_given ? article.subject : plainText(content, SUBJECT_MAX)
    if (content !== article.content) changed.push({ ...article, content, subject })
  }
  await tx`
    update news n set content = r.content, subject = r.subject
    from ${relation(tx, { id: 'bigint', content: 'text', subject: 'text' }, changed)} where n.id = r.id`
  await claimUses(
    tx,
    'news',
    changed.flatMap(({ id, content, image }) =>
      findAttachments(content)
        .filter((upload) => upload !== image)
        .map((upload) => ({ placeId: id, id: upload, channel: 'news:content', raw: id })),
    ),
  )
}

/**
 * Turns pictures of articles that the old site embedded by the path of their file into uploads. Runs over all articles
 * in each run, because a file may come after its article.
 */
export const embedPictures: ImportStep = {
  name: 'pictures in articles',
  async run({ transaction, note, progress }) {
    for (let last = 0; ; ) {
      const rows = await transaction(
        (tx) => tx<Article[]>`
          select id, content, subject, subject_given, image from news
          where id > ${last} and content like '%](%/storage/%' order by id limit ${AT_ONCE}`,
      )
      const end = rows.at(-1)
      if (!end) return
      last = end.id
      await transaction((tx) =>
        embed(tx, rows, (id) =>
          note(String(id), 'a picture of the old site is not among its files: shown as a link'),
        ),
      )
      progress(`${last}`)
    }
  },
}

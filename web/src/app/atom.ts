import { escapeMarkup } from './document.ts'
import { cutText } from './text.ts'
import { instantOf } from './time.ts'

export const ATOM = 'application/atom+xml; charset=utf-8'

const TITLE_MOST = 80

export type Entry = { path: string; title: string; text: string; time: string; author: string }

export function atomOf({
  origin,
  path,
  title,
  entries,
}: {
  origin: string
  path: string
  title: string
  entries: Entry[]
}): string {
  const newest = instantOf(entries[0]?.time ?? '1970-01-01 00:00:00')
  const all = entries.map((entry) => {
    const url = escapeMarkup(origin + entry.path)
    return `<entry>
<id>${url}</id>
<title>${escapeMarkup(cutText(entry.title, TITLE_MOST)) || url}</title>
<link href="${url}"/>
<updated>${instantOf(entry.time)}</updated>
<author><name>${escapeMarkup(entry.author)}</name></author>
<content type="text">${escapeMarkup(entry.text)}</content>
</entry>`
  })
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<id>${escapeMarkup(origin + path)}</id>
<title>${escapeMarkup(title)}</title>
<link rel="self" href="${escapeMarkup(origin + path)}"/>
<updated>${newest}</updated>
${all.join('\n')}
</feed>
`
}

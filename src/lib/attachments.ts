/** Matches an upload in Markdown, with its title and its id. */
export const ATTACHMENT = /@!\[([^\]\n]{0,500})\]\(\s*([1-9]\d{0,14})\s*\)/g

/** Returns at most `max` distinct ids of uploads, written as `@![title](id)`. */
export function findAttachments(markdown: string, max = 100): number[] {
  const ids = new Set<number>()
  for (const [, , digits] of markdown.matchAll(ATTACHMENT)) {
    const id = Number(digits)
    if (id > 0 && Number.isSafeInteger(id)) ids.add(id)
    if (ids.size >= max) break
  }
  return [...ids]
}

export const replaceAttachments = (markdown: string, ids: ReadonlyMap<number, number>): string =>
  markdown.replace(ATTACHMENT, (whole, _title, digits: string) => {
    const id = ids.get(Number(digits))
    return id === undefined ? whole : `${whole.slice(0, whole.lastIndexOf('('))}(${id})`
  })

import { parentPort } from 'node:worker_threads'
import TurndownService from 'turndown'

/** Elements that Markdown cannot show. */
const LOST = 'iframe, video, audio, embed, object, form, input, button, select, svg, canvas, map'
const UPLOAD = /(?:^|\/)api\/v2\/files\/([1-9]\d{0,14})(?:[?#].*)?$/
const SAFE_LINK = /^(?:https?:|mailto:|tel:|\/|#|\?|[^:]*$)/i

type Element = {
  nodeName: string
  matches(selector: string): boolean
  getAttribute(name: string): string | null
}
const elementOf = (node: unknown) => node as Element

/** Marks of cells and rows while a table is converted, of the private use area. */
const [CELL, ROW] = ['\ue000', '\ue001'] as const

const service = new TurndownService({
  headingStyle: 'atx',
  codeBlockStyle: 'fenced',
  bulletListMarker: '-',
  emDelimiter: '*',
})
const escaped = (character: string) => `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`
const lost = new Set<string>()
service.remove(['script', 'style', 'head', 'noscript', 'title'] as never)
service.addRule('pictures', {
  filter: 'img',
  replacement(_content, node) {
    const of = (name: string) => elementOf(node).getAttribute(name)?.trim() ?? ''
    const [src, alt] = [of('src'), of('alt').replace(/[[\]\n]+/g, ' ')]
    const upload = UPLOAD.exec(src)?.[1]
    if (upload !== undefined) return `@![${alt.slice(0, 500)}](${upload})`
    if (/^https?:/i.test(src) && !src.includes('/storage/'))
      lost.add('pictures of other sites, shown as links')
    if (/^(?:https?:|\/)/i.test(src)) return `![${alt}](${src.replace(/[\s()<>]/g, escaped)})`
    lost.add('pictures within the text')
    return alt
  },
})
service.addRule('unsafe links', {
  filter: (node) =>
    node.nodeName === 'A' && !SAFE_LINK.test(elementOf(node).getAttribute('href')?.trim() ?? ''),
  replacement: (content) => content,
})
service.addRule('table parts', {
  filter: ['thead', 'tbody', 'tfoot', 'tr', 'caption', 'colgroup', 'col'] as never,
  replacement: (content) => content,
})
service.addRule('cells', {
  filter: ['td', 'th'],
  replacement(content, node) {
    if (['colspan', 'rowspan'].some((name) => elementOf(node).getAttribute(name))) lost.add('joined cells')
    return `${content
      .trim()
      .replace(/\s*\n\s*/g, ' ')
      .replaceAll('|', '\\|')}${CELL}`
  },
})
service.addRule('rows', {
  filter: 'tr',
  replacement: (content) => `${ROW}${content}`,
})
service.addRule('tables', {
  filter: 'table',
  replacement(content) {
    const rows = content
      .split(ROW)
      .slice(1)
      .map((row) => row.split(CELL).slice(0, -1))
    const width = Math.max(0, ...rows.map((row) => row.length))
    if (width === 0) return content
    const lines = rows.map(
      (row) => `| ${Array.from({ length: width }, (_, at) => row[at] ?? '').join(' | ')} |`,
    )
    return `\n\n${[lines[0], `|${' --- |'.repeat(width)}`, ...lines.slice(1)].join('\n')}\n\n`
  },
})
service.addRule('lost', {
  filter: (node) => elementOf(node).matches(LOST),
  replacement(content, node) {
    lost.add(elementOf(node).nodeName.toLowerCase())
    return content
  },
})

parentPort?.on('message', (html: string) => {
  lost.clear()
  const markdown = service.turndown(html).replaceAll(CELL, ' ').replaceAll(ROW, ' ')
  parentPort?.postMessage({ markdown, lost: [...lost].sort() })
})

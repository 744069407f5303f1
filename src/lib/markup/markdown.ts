import MarkdownIt, { type StateBlock, type StateInline, type Token } from 'markdown-it'
import cjkFriendly from 'markdown-it-cjk-friendly'
import { ATTACHMENT } from '../attachments.ts'
import { findBareLinks, findUrl, MARKED_NAME, safeHref, uploadOf } from './links.ts'
import { type Alignment, type TextNode, type TextTree, textOf } from './tree.ts'

/** Thrown when a text takes more work than `LIMITS` allows. */
export class TooComplex extends Error {}

/**
 * Limits of the work on a text: positions that the parser visits, nodes that it makes, characters of all targets,
 * and levels. An article of 100,000 characters takes some 10,000 steps. Every use of a definition repeats its
 * target.
 */
export const LIMITS = { steps: 20_000, nodes: 10_000, targets: 200_000, depth: 24 }

/** The work on one text so far. With `dropsTags`, the tree has no HTML tags. */
export type Work = { steps: number; nodes: number; targets: number; dropsTags: boolean }

/** Adds to the work on a text. Throws `TooComplex` beyond the limit. */
export function spend(work: Work, kind: 'steps' | 'nodes' | 'targets', amount = 1): void {
  work[kind] += amount
  if (work[kind] > LIMITS[kind]) throw new TooComplex()
}

const markdown = new MarkdownIt({ html: false, linkify: false, breaks: false, maxNesting: 100 })
markdown.use(cjkFriendly)
markdown.disable(['linkify', 'html_block'])
// `safeHref` decides on links instead, because the default also lets `data:` pictures pass.
markdown.validateLink = () => true

const workOf = (env: object) => (env as { work: Work }).work

markdown.inline.ruler.before('text', 'count', (state: StateInline) => {
  spend(workOf(state.env), 'steps')
  return false
})
markdown.block.ruler.before('table', 'count', (state: StateBlock) => {
  spend(workOf(state.env), 'steps')
  return false
})

markdown.inline.ruler.before('newline', 'url', (state, silent) => {
  if (state.src[state.pos] !== ':' || state.linkLevel > 0) return false
  const url = findUrl(state.src.slice(0, state.posMax), state.pos, 'markdown')
  if (!url || state.pending.length < state.pos - url.start) return false
  if (!silent) {
    state.pending = state.pending.slice(0, url.start - state.pos)
    const token = state.push('url', '', 0)
    token.content = state.src.slice(url.start, url.end)
  }
  state.pos = url.end
  return true
})

const UPLOAD = new RegExp(ATTACHMENT.source, 'y')
const MENTION = new RegExp(MARKED_NAME.source, 'y')

markdown.inline.ruler.before('image', 'at', (state, silent) => {
  if (state.src[state.pos] !== '@') return false
  UPLOAD.lastIndex = state.pos
  const upload = UPLOAD.exec(state.src)
  MENTION.lastIndex = state.pos - 1
  const mention = upload ? null : MENTION.exec(state.src)
  if (mention && !state.pending.endsWith('\u00ad')) return false
  const found = upload ?? mention
  if (!found || found.index + found[0].length > state.posMax) return false
  if (!silent) {
    if (mention) state.pending = state.pending.slice(0, -1)
    const token = state.push(upload ? 'upload' : 'mention', '', 0)
    token.content = found[1] as string
    token.info = found[2] ?? ''
  }
  state.pos = found.index + found[0].length
  return true
})

// A name may begin and end with `_`, which is no emphasis then.
const NAME = /(?<![A-Za-z0-9])@\w+/y

markdown.inline.ruler.after('at', 'name', (state, silent) => {
  NAME.lastIndex = state.pos
  const [name] = NAME.exec(state.src) ?? []
  if (name === undefined || state.pos + name.length > state.posMax) return false
  if (!silent) state.pending += name
  state.pos += name.length
  return true
})

// Ends at the next `<`, so that the total time stays linear.
const TAG = /<[A-Za-z/!?][^<>]*>/y

markdown.inline.ruler.at('html_inline', (state, silent) => {
  if (state.src[state.pos] !== '<') return false
  TAG.lastIndex = state.pos
  const [tag] = TAG.exec(state.src) ?? []
  if (tag === undefined || state.pos + tag.length > state.posMax) return false
  if (!silent) state.push('tag', '', 0).content = tag
  state.pos += tag.length
  return true
})

/** Puts a text and the links in it that have no scheme. */
export function putText(text: string, put: (node: TextNode) => void): void {
  let done = 0
  for (const { start, end, href } of findBareLinks(text)) {
    put(text.slice(done, start))
    put({ type: 'link', href, nodes: [text.slice(start, end)] })
    done = end
  }
  put(text.slice(done))
}

const BLOCK_TAG =
  /^(?:address|article|blockquote|dd|div|dl|dt|figure|h[1-6]|hr|li|ol|p|pre|section|table|td|th|tr|ul)$/i

const TASK = /^\[([ xX])\] /
function withBox([first, ...rest]: TextNode[]): TextNode[] {
  if (first === undefined) return []
  if (typeof first === 'string')
    return [first.replace(TASK, (_, mark) => (mark === ' ' ? '☐ ' : '☑ ')), ...rest]
  return [first.type === 'paragraph' ? { ...first, nodes: withBox(first.nodes) } : first, ...rest]
}

const WRAPPERS = {
  strong_open: 'strong',
  em_open: 'emphasis',
  s_open: 'deletion',
  blockquote_open: 'quote',
} as const

const ANCHOR_MAX = 64

/** Name of a heading in links to it. Unique within the text. */
function anchorOf(title: string, used: Map<string, number>): string {
  const words = title.toLowerCase().match(/[\p{L}\p{M}\p{N}_]+/gu) ?? []
  const name = [...words.join('-')].slice(0, ANCHOR_MAX).join('') || 'section'
  let n = used.get(name) ?? 0
  let anchor = name
  do {
    n += 1
    anchor = n === 1 ? name : `${name}-${n}`
  } while (n > 1 && used.has(anchor))
  used.set(name, n)
  if (anchor !== name) used.set(anchor, 1)
  return anchor
}

/** Reads Markdown. Throws `TooComplex` beyond the limits. */
export function readMarkdown(source: string, work: Work): TextTree {
  const frames: TextNode[][] = [[]]
  const levels: number[] = []
  const anchors = new Map<string, number>()
  let unshown = ''

  const put = (node: TextNode) => {
    const nodes = frames.at(-1) as TextNode[]
    const last = nodes.length - 1
    if (node === '' || unshown !== '') return
    if (typeof node === 'string' && typeof nodes[last] === 'string') nodes[last] += node
    else {
      spend(work, 'nodes')
      nodes.push(node)
    }
  }
  const open = () => {
    if (frames.length > LIMITS.depth) throw new TooComplex()
    frames.push([])
  }
  const close = (): TextNode[] => frames.pop() as TextNode[]

  function tag(text: string): void {
    const [, end = '', name = ''] = /^<(\/?)([a-z]+[1-6]?)/i.exec(text) ?? []
    if (/^br$/i.test(name)) put({ type: 'break' })
    else if (!work.dropsTags) put(text)
    else if (end === '' && unshown === '' && /^(?:script|style)$/i.test(name)) unshown = name
    else if (end !== '' && name === unshown) unshown = ''
    else if (BLOCK_TAG.test(name)) put(' ')
  }

  const known = new Map<string, string | undefined>()
  function targetOf(href: string): string | undefined {
    if (!known.has(href)) known.set(href, safeHref(href))
    const target = known.get(href)
    spend(work, 'targets', target?.length)
    return target
  }

  function link(href: string, nodes: TextNode[]): void {
    const target = targetOf(href)
    if (target !== undefined && nodes.length > 0) put({ type: 'link', href: target, nodes })
    else for (const node of nodes) put(node)
  }

  function image(token: Token): void {
    const href = String(token.attrGet('src') ?? '')
    const file = uploadOf(href)
    const title = token.content
    const target = targetOf(href)
    if (file !== undefined) put({ type: 'upload', file, title })
    else if (target?.startsWith('#') === false) put({ type: 'image', href: target, title })
    else put(title)
  }

  /** Closes gaps between the levels of headings, so that screen readers get a valid outline. */
  function heading(depth: number, nodes: TextNode[]): void {
    while ((levels.at(-1) ?? 0) >= depth) levels.pop()
    levels.push(depth)
    put({ type: 'heading', level: levels.length, anchor: anchorOf(textOf(nodes), anchors), nodes })
  }

  const targets: string[] = []
  const lists: { start?: number; items: TextNode[][] }[] = []
  let table: { align: Alignment[]; rows: TextNode[][][] } = { align: [], rows: [] }

  function read(tokens: Token[]): void {
    for (const token of tokens) {
      const { type, content } = token
      switch (type) {
        case 'inline':
          read(token.children ?? [])
          unshown = ''
          break
        case 'text':
        case 'text_special':
          if (targets.length === 0) putText(content, put)
          else put(content)
          break
        case 'softbreak':
          put('\n')
          break
        case 'hardbreak':
          put({ type: 'break' })
          break
        case 'tag':
          tag(content)
          break
        case 'code_inline':
          put({ type: 'code', text: content })
          break
        case 'code_block':
          if (work.dropsTags) {
            // Imported HTML is often indented.
            read(markdown.parseInline(content, { work }))
            put('\n')
            break
          }
          put({ type: 'code', text: content.replace(/\n$/, ''), block: true })
          break
        case 'fence':
          put({ type: 'code', text: content.replace(/\n$/, ''), block: true })
          break
        case 'hr':
          put({ type: 'rule' })
          break
        case 'url':
          put({ type: 'link', href: content, nodes: [content] })
          break
        case 'upload':
          put({ type: 'upload', file: Number(token.info), title: content })
          break
        case 'mention':
          put({ type: 'mention', user: 0, name: content.trim() })
          break
        case 'image':
          image(token)
          break
        case 'link_open':
          targets.push(String(token.attrGet('href') ?? ''))
          open()
          break
        case 'link_close':
          link(targets.pop() as string, close())
          break
        case 'strong_open':
        case 'em_open':
        case 's_open':
        case 'blockquote_open':
        case 'heading_open':
          open()
          break
        case 'strong_close':
        case 'em_close':
        case 's_close':
        case 'blockquote_close':
          put({ type: WRAPPERS[type.replace('_close', '_open') as 'em_open'], nodes: close() })
          break
        case 'heading_close':
          heading(Number(token.tag.slice(1)), close())
          break
        case 'paragraph_open':
          if (!token.hidden) open()
          break
        case 'paragraph_close': {
          if (token.hidden) break
          const nodes = close()
          if (nodes.length > 0) put({ type: 'paragraph', nodes })
          break
        }
        case 'bullet_list_open':
        case 'ordered_list_open':
          lists.push({
            ...(type === 'ordered_list_open' ? { start: Number(token.attrGet('start') ?? 1) } : {}),
            items: [],
          })
          break
        case 'bullet_list_close':
        case 'ordered_list_close':
          put({ type: 'list', ...(lists.pop() as { items: TextNode[][] }) })
          break
        case 'list_item_open':
          open()
          break
        case 'list_item_close':
          lists.at(-1)?.items.push(withBox(close()))
          break
        case 'table_open':
          table = { align: [], rows: [] }
          break
        case 'table_close':
          put({ type: 'table', ...table })
          break
        case 'tr_open':
          table.rows.push([])
          break
        case 'th_open': {
          const side = /(left|center|right)$/.exec(String(token.attrGet('style') ?? ''))?.[1]
          table.align.push((side as Alignment | undefined) ?? null)
          open()
          break
        }
        case 'td_open':
          open()
          break
        case 'th_close':
        case 'td_close':
          spend(work, 'nodes')
          table.rows.at(-1)?.push(close())
          break
      }
    }
  }
  read(markdown.parse(source, { work }))
  return frames[0] as TextTree
}

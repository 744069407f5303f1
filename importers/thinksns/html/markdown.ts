import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

const CHARACTERS_MAX = 1_000_000
const TAGS_MAX = 50_000
const DEPTH_MAX = 200
const PATIENCE_MS = 60_000
const MEMORY_MB = 192

/** Elements without an end, or whose end may be left out, so that they do not nest. */
const FLAT = new Set(
  'area base br col dd dt embed hr img input li link meta option p param source td th tr track wbr'.split(
    ' ',
  ),
)
const BLOCK = /<\/(?:p|div|h[1-6]|ul|ol|table|blockquote|section|article|pre)\s*>/i
const BEGINS = /^\s{0,1000}<(?:!doctype|[a-z][a-z0-9]{0,20})[\s/>]/i

/** Returns true for a text that an editor wrote in HTML, rather than Markdown that contains some tags. */
export const isHtml = (text: string): boolean => BLOCK.test(text) || BEGINS.test(text)

type Tag = { name: string; isEnd: boolean; from: number; to: number }

/** Finds tags in linear time, also in texts of unfinished ones. */
function* tagsOf(html: string): Generator<Tag> {
  for (let at = html.indexOf('<'); at !== -1; at = html.indexOf('<', at)) {
    const isEnd = html[at + 1] === '/'
    const name = /^[a-z][a-z0-9]{0,20}/i.exec(html.slice(at + (isEnd ? 2 : 1), at + 24))?.[0]
    const end = html.indexOf('>', at)
    if (end === -1) return
    if (name !== undefined) yield { name: name.toLowerCase(), isEnd, from: at, to: end + 1 }
    at = name === undefined ? at + 1 : end + 1
  }
}

function isBounded(html: string): boolean {
  if (html.length > CHARACTERS_MAX) return false
  let [count, depth] = [0, 0]
  for (const { name, isEnd } of tagsOf(html)) {
    count += 1
    if (!FLAT.has(name)) depth = Math.max(0, depth + (isEnd ? -1 : 1))
    if (count > TAGS_MAX || depth > DEPTH_MAX) return false
  }
  return true
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', nbsp: ' ', '#39': "'" }

function textOf(html: string): string {
  const parts: string[] = []
  let last = 0
  for (const { from, to } of tagsOf(html)) {
    parts.push(html.slice(last, from))
    last = to
  }
  return [...parts, html.slice(last)]
    .join(' ')
    .replace(/&(amp|lt|gt|quot|nbsp|#39);/g, (_, name: string) => ENTITIES[name] ?? '')
}

type Converted = { markdown: string; lost: string[]; isText: boolean }

/**
 * Converts articles in a thread, which ends when a hostile text takes too much time or memory. A text beyond the limits
 * becomes text without layout.
 */
export function createConverter({ patienceMs = PATIENCE_MS } = {}) {
  let thread: Worker | undefined
  const start = () =>
    new Worker(new URL('./markdown-thread.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
    })
  return async (html: string): Promise<Converted> => {
    const asText = () => ({ markdown: textOf(html), lost: [], isText: true })
    if (!isBounded(html)) return asText()
    thread ??= start()
    const used = thread
    used.ref()
    const late = setTimeout(() => void used.terminate(), patienceMs)
    const done = new AbortController()
    const { signal } = done
    try {
      used.postMessage(html)
      const [answer] = (await Promise.race([
        once(used, 'message', { signal }),
        once(used, 'exit', { signal }).then(() => {
          throw new Error('the thread ended')
        }),
      ])) as [Omit<Converted, 'isText'>]
      used.unref()
      return { ...answer, isText: false }
    } catch {
      thread = undefined
      await used.terminate()
      return asText()
    } finally {
      done.abort()
      clearTimeout(late)
    }
  }
}

import { readMarks } from './markdown-marks.ts'

// Each pattern is sticky and ends at a line end, `<` or `>`, so that the total time stays linear.
const FENCE = / {0,3}(?:(`{3,})[^`\n]*|(~{3,})[^\n]*)(?=\n|$)/y
const DECORATION = /[ \t]*[-=*_|:+][-=*_|:+ \t]*(?=\n|$)/y
const REFERENCE = / {0,3}\[[^\]\n]+\]:[ \t]*(?:<|https?:|\/)[^\n]*/y
const PREFIX = /[ \t]*(?:>|#{1,6}(?=[ \t\n]|$)|[-*+](?=[ \t])|\[[ xX]\](?=[ \t]))/y
const AUTOLINK = /<((?:https?:|mailto:|[^\s<>@]+@)[^\s<>]*)>/y
const TAG = /<[A-Za-z/!?][^<>]*>/y
const BREAKING_TAG =
  /^<\/?(?:address|article|blockquote|br|dd|div|dl|dt|figcaption|figure|h[1-6]|hr|li|ol|p|pre|section|table|td|th|tr|ul)\b/i
const UNSHOWN_ELEMENT = /^<(script|style)\b/i
const ENTITY = /&(?:#([0-9]{1,7})|#[xX]([0-9a-fA-F]{1,6})|(amp|lt|gt|quot|apos|nbsp));/y
const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' }
const BLANK = /^[\s\p{Cc}]$/u

/** Returns at most `n` characters of the visible text of Markdown, with whitespace collapsed. */
export function plainText(source: string, n: number): string {
  const { partner, code, dropped } = readMarks(source)
  const jumps = new Map<number, number>()
  const page = createPage(n)
  let fence = ''
  let at = 0
  let lineStart = true
  let tableRow = false

  const match = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at
    return pattern.exec(source)
  }
  /** Returns the position of the bracket that closes the URL or reference after a link's text, or else 0. */
  const targetEnd = (close: number): number => {
    const next = source[close + 1]
    return close > 0 && (next === '(' || next === '[') ? partner[close + 1]! : 0
  }

  while (at < source.length && !page.full()) {
    if (lineStart) {
      lineStart = false
      const fenced = match(FENCE)
      const mark = fenced?.[1] ?? fenced?.[2] ?? ''
      if (mark !== '' && (fence === '' || mark.startsWith(fence))) {
        fence = fence === '' ? mark : ''
        at = endOfLine(source, at)
        continue
      }
      if (fence === '') {
        if (match(DECORATION) || match(REFERENCE)) {
          at = endOfLine(source, at)
          continue
        }
        for (let prefix = match(PREFIX); prefix; prefix = match(PREFIX)) at += prefix[0].length
        if (at >= source.length) break
      }
      tableRow = source[at] === '|'
    }

    const char = source[at]!
    const jump = jumps.get(at)
    if (char === '\n') {
      lineStart = true
      page.put(' ')
      at++
    } else if (fence !== '') {
      at += page.putPoint(source, at)
    } else if (char === '|' && tableRow) {
      page.put(' ')
      at++
    } else if (jump !== undefined) {
      at = jump
    } else if (char === '\\' && /[!-/:-@[-`{-~]/.test(source[at + 1] ?? '')) {
      page.put(source[at + 1]!)
      at += 2
    } else if (char === '`' && code.has(at)) {
      const { open, close, end } = code.get(at)!
      for (let i = open; i < close && !page.full(); ) i += page.putPoint(source, i)
      at = end
    } else if (isImage(source, at) && targetEnd(partner[source.indexOf('[', at)]!) > 0) {
      at = targetEnd(partner[source.indexOf('[', at)]!) + 1
    } else if (char === '[' && partner[at]! > 0 && targetEnd(partner[at]!) > 0) {
      jumps.set(partner[at]!, targetEnd(partner[at]!) + 1)
      at++
    } else if (dropped.has(at)) {
      at += dropped.get(at)!
    } else if (char === '<') {
      skipTag()
    } else if (char === '&') {
      const entity = match(ENTITY)
      page.put(entity ? decoded(entity) : '&')
      at += entity ? entity[0].length : 1
    } else {
      at += page.putPoint(source, at)
    }
  }
  return page.text()

  function skipTag(): void {
    const link = match(AUTOLINK)
    if (link) {
      page.put(link[1]!)
      at += link[0].length
      return
    }
    if (source.startsWith('<!--', at)) {
      at = after(source, '-->', at + 4)
      return
    }
    const tag = match(TAG)
    if (!tag) {
      page.put('<')
      at++
      return
    }
    at += tag[0].length
    if (BREAKING_TAG.test(tag[0])) page.put(' ')
    const unshown = UNSHOWN_ELEMENT.exec(tag[0])
    if (unshown) at = endOfElement(source, unshown[1]!, at)
  }
}

type Page = {
  put(text: string): void
  putPoint(source: string, at: number): number
  full(): boolean
  text(): string
}

function createPage(n: number): Page {
  const shown: string[] = []
  let spaceDue = false
  let last = ''

  function putPoint(point: string): void {
    if (BLANK.test(point)) {
      spaceDue = shown.length > 0
      return
    }
    // Inserts a space after a `<` that broken or escaped markup leaves. Otherwise a client that does not
    // escape the text would render a tag.
    if (spaceDue || (last === '<' && /^[A-Za-z/!?]$/.test(point))) shown.push(' ')
    shown.push(point)
    last = point
    spaceDue = false
  }

  return {
    put(text) {
      for (const point of text) putPoint(point)
    },
    putPoint(source, at) {
      const point = String.fromCodePoint(source.codePointAt(at)!)
      putPoint(point)
      return point.length
    },
    full: () => shown.length >= n,
    text: () => shown.slice(0, n).join('').trimEnd(),
  }
}

function isImage(source: string, at: number): boolean {
  return source.startsWith('![', at) || source.startsWith('@![', at)
}

function endOfLine(source: string, at: number): number {
  const end = source.indexOf('\n', at)
  return end < 0 ? source.length : end
}

function after(source: string, mark: string, at: number): number {
  const found = source.indexOf(mark, at)
  return found < 0 ? source.length : found + mark.length
}

function endOfElement(source: string, name: string, at: number): number {
  const end = new RegExp(`</${name}`, 'gi')
  end.lastIndex = at
  return end.exec(source)?.index ?? source.length
}

function decoded([, decimal, hex, name]: RegExpExecArray): string {
  if (name !== undefined) return ENTITIES[name]!
  const point = decimal !== undefined ? Number.parseInt(decimal, 10) : Number.parseInt(hex!, 16)
  return point > 0 && point <= 0x10ffff ? String.fromCodePoint(point).toWellFormed() : '\ufffd'
}

type CodeSpan = { open: number; close: number; end: number }
type Marks = {
  /** Maps the position of a `[` or `(` to the position of its closing bracket, or to 0. */
  partner: Int32Array
  code: Map<number, CodeSpan>
  dropped: Map<number, number>
}
type Opener = { at: number; left: number }

const BLANK_LINE = /\n[ \t]*(?=\n)/y
const WORD = /[\p{L}\p{N}]/u

export function readMarks(source: string): Marks {
  const partner = new Int32Array(source.length + 1)
  const code = codeSpans(source)
  const dropped = new Map<number, number>()
  const openers: Record<string, Opener[]> = { '*': [], _: [], '~': [] }
  let squares: number[] = []
  let rounds: number[] = []

  function closeParagraph(): void {
    squares = []
    for (const char in openers) openers[char] = []
  }

  function closeBracket(stack: number[], at: number): void {
    const open = stack.pop()
    if (open !== undefined) partner[open] = at
  }

  function emphasis(char: string, at: number): number {
    const length = runLength(source, at)
    if (char === '~' && length !== 2) return length
    const before = source[at - 1] ?? ' '
    const after = source[at + length] ?? ' '
    const insideWord = char === '_' && WORD.test(before) && WORD.test(after)
    let left = length
    if (/\S/.test(before) && !insideWord) left = closeEmphasis(openers[char]!, at, length)
    if (left > 0 && /\S/.test(after) && !insideWord) openers[char]!.push({ at: at + length - left, left })
    return length
  }

  function closeEmphasis(stack: Opener[], at: number, length: number): number {
    let left = length
    while (left > 0 && stack.length > 0) {
      const opener = stack.at(-1)!
      const used = Math.min(left, opener.left)
      opener.left -= used
      left -= used
      dropped.set(opener.at + opener.left, used)
      if (opener.left === 0) stack.pop()
    }
    if (left < length) dropped.set(at, length - left)
    return left
  }

  for (let at = 0; at < source.length; ) {
    const char = source[at]!
    if (char === '\\') {
      at += 2
      continue
    }
    if (char === '`') {
      at = code.get(at)?.end ?? at + runLength(source, at)
      continue
    }
    if (char === '*' || char === '_' || char === '~') {
      at += emphasis(char, at)
      continue
    }
    if (char === '[') squares.push(at)
    else if (char === ']') closeBracket(squares, at)
    else if (char === '(') rounds.push(at)
    else if (char === ')') closeBracket(rounds, at)
    else if (char === '\n') {
      // Forgets round brackets that are open at the end of a line, because the URL of a link cannot span
      // lines.
      rounds = []
      BLANK_LINE.lastIndex = at
      if (BLANK_LINE.test(source)) closeParagraph()
    }
    at++
  }
  return { partner, code, dropped }
}

function codeSpans(source: string): Map<number, CodeSpan> {
  const runs = [...source.matchAll(/`+/g)].map((run) => ({ at: run.index, length: run[0].length }))
  const nextOfLength = new Map<number, number>()
  const spans = new Map<number, CodeSpan>()
  for (const { at, length } of runs.reverse()) {
    const close = nextOfLength.get(length)
    if (close !== undefined) spans.set(at, { open: at + length, close, end: close + length })
    nextOfLength.set(length, at)
  }
  return spans
}

function runLength(source: string, at: number): number {
  let end = at + 1
  while (source[end] === source[at]) end++
  return end - at
}

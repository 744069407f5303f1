import { AhoCorasick } from '@monyone/aho-corasick/greedy'
import { foldText } from './text.ts'

export type SensitiveWord = { word: string; type: 'warning' | 'replace'; replace: string | null }

export type SensitiveWords = {
  check(text: string): string | undefined
  /** Of overlapping matches, replaces the leftmost one. At the same position, the longest word wins. */
  replace(text: string): string
}

/** Matches all words in one pass over the text. Ignores case, width and invisible characters. */
export function compileWords(words: readonly SensitiveWord[]): SensitiveWords {
  const warnings = createMatcher(words.filter((word) => word.type === 'warning'))
  const replaced = createMatcher(words.filter((word) => word.type === 'replace'))
  return {
    check: (text) => warnings(text)[0]?.word.word,
    replace(text) {
      let result = ''
      let done = 0
      for (const { start, end, word } of replaced(text)) {
        // Two words may match inside one character, as f and i do in ﬁ. The first match wins.
        if (start < done) continue
        result += text.slice(done, start) + (word.replace ?? '')
        done = end
      }
      return result + text.slice(done)
    },
  }
}

type Match = { start: number; end: number; word: SensitiveWord }

function createMatcher(words: SensitiveWord[]): (text: string) => Match[] {
  const byKey = new Map<string, SensitiveWord>()
  for (const word of words) {
    const key = foldWithOffsets(word.word).folded
    if (key !== '' && !byKey.has(key)) byKey.set(key, word)
  }
  if (byKey.size === 0) return () => []
  const automaton = new AhoCorasick([...byKey.keys()])
  return (text) => {
    const { folded, starts, ends } = foldWithOffsets(text)
    return automaton.matchInText(folded).map(({ begin, end, keyword }) => ({
      start: starts[begin]!,
      end: ends[end - 1]!,
      word: byKey.get(keyword)!,
    }))
  }
}

type Folded = { folded: string; starts: number[]; ends: number[] }

// Matches a character with its combining marks, or a decomposed Korean syllable, to fold it as a unit.
const CHARACTER = /.[\p{M}\u1160-\u11ff]*/suy

/** `starts` and `ends` map each code unit of the folded text to the start and end of its source character. */
export function foldWithOffsets(text: string): Folded {
  const pieces: string[] = []
  const starts: number[] = []
  const ends: number[] = []
  for (let at = 0; at < text.length; ) {
    const start = at
    let piece = plainFold(text, at)
    if (piece === '') {
      CHARACTER.lastIndex = at
      const character = CHARACTER.exec(text)![0]
      piece = foldText(character)
      at += character.length
    } else {
      at++
    }
    pieces.push(piece)
    for (let i = 0; i < piece.length; i++) {
      starts.push(start)
      ends.push(at)
    }
  }
  return { folded: pieces.join(''), starts, ends }
}

/** Fast path for common characters. Returns an empty text for characters that need normalization. */
function plainFold(text: string, at: number): string {
  if (!isPlain(text.charCodeAt(at))) return ''
  if (at + 1 < text.length && !isPlain(text.charCodeAt(at + 1))) return ''
  return text[at]!.toLowerCase()
}

function isPlain(unit: number): boolean {
  return unit < 0x80 || (unit >= 0x4e00 && unit < 0xa000)
}

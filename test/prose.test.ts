import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

/** Sources to check. */
const SOURCES = [
  '{src,importers,demo}/**/*.ts',
  'test/**/*.ts',
  'bench/**/*.ts',
  'scripts/**/*.{ts,mjs}',
  'console/src/**/*.{ts,tsx}',
  'sdk/{src,scripts}/**/*.{ts,mjs}',
]
const CLAUSE = /^(who|what|whose|whom|whoever|whatever|where|wherever)\b/i
/** Retired wordings, with the words to use instead. */
const RETIRED: [RegExp, string][] = [
  [/\bnobody is told\b/i, 'name the recipient: "does not notify the author"'],
  [/\bis told\b/i, 'use "receives", "is notified" or "is reported"'],
  [/\bof before\b/i, 'use "earlier" or "older"'],
  [/\bwho(m)?ever\b/i, 'name the user: "the viewer", "the caller", "any user"'],
  [/\bis kept for nobody\b/i, 'use "is not cached" or "is not stored"'],
  [/\btold apart\b/i, 'use "distinguishes"'],
  [/\bin the clothes of\b/i, 'use "mapped" or "disguised as"'],
  [/\bis not for (them|anybody) to\b/i, 'use "may not"'],
]
const TITLE = /\b(?:test|describe|it|suite)\(\s*(['"`])((?:\\.|(?!\1).)*)\1/g
const COMMENT = /^[ \t]*(?:\/\*\*?|\/\/)[ \t]*(?:\n[ \t]*\* ?)?([^\n]*)/gm

/** Returns the problem of a comment or title, with a hint; undefined for none. */
function problemOf(text: string): string | undefined {
  if (CLAUSE.test(text)) return 'begins with a clause; start with a verb or noun'
  const retired = RETIRED.find(([words]) => words.test(text))
  return retired && `has a retired wording; ${retired[1]}`
}

/** Lists the problems of a source as `file:line: text: hint`. Continued line comments count as one. */
function problemsOf(file: string, source: string): string[] {
  const found: string[] = []
  const lineAt = (index: number) => source.slice(0, index).split('\n').length
  for (const match of source.matchAll(COMMENT)) {
    const before = source.slice(0, match.index).trimEnd().split('\n').at(-1) ?? ''
    const isContinued = match[0].trimStart().startsWith('//') && before.trimStart().startsWith('//')
    const text = isContinued ? '' : (match[1] ?? '')
    const problem = problemOf(text)
    if (problem) found.push(`${file}:${lineAt(match.index)}: ${text}: ${problem}`)
  }
  for (const match of source.matchAll(TITLE)) {
    const problem = problemOf(match[2] ?? '')
    if (problem) found.push(`${file}:${lineAt(match.index)}: ${match[2]}: ${problem}`)
  }
  return found
}

test('finds clauses and retired wordings in comments and titles', () => {
  const bad = [
    '/** Who pays. */',
    '// where it is empty',
    '/**\n * What is kept.\n */',
    "test('whoever asks is refused', () => {})",
    "test('rejects a row of before', () => {})",
  ]
  for (const source of bad) assert.equal(problemsOf('a.ts', source).length, 1, source)
  const good =
    "/** Returns the payer. */\n// Names the user\n// who pays.\ntest('returns 404 when the feed is deleted', f)"
  assert.deepEqual(problemsOf('a.ts', good), [])
})

test('begins comments and titles with a verb or noun, without retired wordings', () => {
  const files = SOURCES.flatMap((pattern) => globSync(pattern)).filter(
    (file) => !/generated|node_modules/.test(file) && file !== 'test/prose.test.ts',
  )
  assert.ok(files.length > 300, `saw only ${files.length} files`)
  const problems = files.flatMap((file) => problemsOf(file, readFileSync(file, 'utf8')))
  assert.deepEqual(problems, [], `See docs/glossary.md and CONTRIBUTING.md:\n${problems.join('\n')}`)
})

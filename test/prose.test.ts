import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

const SOURCES = [
  '{src,importers,demo}/**/*.ts',
  'test/**/*.ts',
  'bench/**/*.ts',
  'scripts/**/*.{ts,mjs}',
  '{console,web}/src/**/*.{ts,tsx}',
  'sdk/{src,scripts}/**/*.{ts,mjs}',
]
const DOCUMENTS = ['docs/**/*.md', '*.md', 'bench/*.md']
const LAST_UNCHECKED_MIGRATION = '0103'
/**
 * Applied migrations whose comments contain forbidden wordings. They cannot change because sites compare the
 * hash of a migration.
 */
const FROZEN = [
  '0115_link_proofs',
  '0120_webhook_events',
  '0150_ledger_checkpoints',
  '0186_payments',
  '0191_chat',
  '0205_payment_refunds',
  '0208_payment_fees',
  '0210_text_messages',
  '0213_chat_grams',
  '0220_friends_count',
]
const CLAUSE = /^(who|what|whose|whom|whoever|whatever|where|wherever)\b/i
const RETIRED: [RegExp, string][] = [
  [/\bnobody\b/i, 'name the user, or negate the verb: "does not notify the author"'],
  [/\b(is|are|was|were) told\b/i, 'use "receives", "is notified" or "is reported"'],
  [/\bof before\b/i, 'use "earlier" or "older"'],
  [/\bwho(m)?ever\b/i, 'name the user: "the viewer", "the caller", "any user"'],
  [/\bis kept for nobody\b/i, 'use "is not cached" or "is not stored"'],
  [/\btold apart\b/i, 'use "distinguishes"'],
  [/\bin the clothes of\b/i, 'use "mapped" or "disguised as"'],
  [/\bis not for (them|anybody) to\b/i, 'use "may not"'],
  [/\b(takes?|taken|took) (\w+ )?back\b/i, 'use "cancels", "reverts", "refunds" or "removes"'],
  [/\b(brings?|brought) along\b/i, 'use "imports" or "contains"'],
  [/\bas ever\b/i, 'say "still", or delete it'],
  [/\banew\b/i, 'use "again", "recreates", "recounts" or "resets"'],
  [/\bgood for (an?|one|\d+|five|ten) /i, 'use "valid for"'],
  [/\b(accounts?|providers?) outside\b/i, 'use "external account" and "external provider"'],
  [/\blet through\b/i, 'use "accepted"'],
  [/\bpasse[sd] over\b/i, 'use "skips" or "ignores"'],
]
const SQL_COMMENT = /^[ \t]*--[ \t]*([^\n]*)/gm
/** Titles passed to the test runner or to its wrappers (`is`, `matrix`, `tell`), and in the rows of these. */
const TITLES = [
  /\b(?:test|describe|it|suite|is|matrix|tell)\(\s*(['"`])((?:\\.|(?!\1).)*)\1/g,
  /\bwhat: (['"`])((?:\\.|(?!\1).)*)\1/g,
  /\[\s*(['"`])((?:\\.|(?!\1).)*)\1,\s*\(\w*\) => \[/g,
]
const COMMENT = /^[ \t]*(?:\/\*\*?|\/\/)[ \t]*(?:\n[ \t]*\* ?)?([^\n]*)/gm

function problemOf(text: string): string | undefined {
  if (CLAUSE.test(text)) return 'begins with a clause; start with a verb or noun'
  const retired = RETIRED.find(([words]) => words.test(text))
  return retired && `has a retired wording; ${retired[1]}`
}

function problemsOf(file: string, source: string): string[] {
  const found: string[] = []
  const lineAt = (index: number) => source.slice(0, index).split('\n').length
  const isSql = file.endsWith('.sql')
  const mark = isSql ? '--' : '//'
  for (const match of source.matchAll(isSql ? SQL_COMMENT : COMMENT)) {
    const before = source.slice(0, match.index).trimEnd().split('\n').at(-1) ?? ''
    const isContinued = match[0].trimStart().startsWith(mark) && before.trimStart().startsWith(mark)
    const text = isContinued ? '' : (match[1] ?? '')
    const problem = problemOf(text)
    if (problem) found.push(`${file}:${lineAt(match.index)}: ${text}: ${problem}`)
  }
  for (const match of TITLES.flatMap((pattern) => [...source.matchAll(pattern)])) {
    const title = match[2] ?? ''
    const problem = problemOf(title)
    if (problem) found.push(`${file}:${lineAt(match.index)}: ${title}: ${problem}`)
  }
  return found
}

function blocksOf(document: string): { line: number; text: string }[] {
  const blocks: { line: number; text: string }[] = []
  let isCode = false
  let isOpen = false
  for (const [index, raw] of document.split('\n').entries()) {
    const text = raw.trim()
    const line = index + 1
    if (text.startsWith('```')) isCode = !isCode
    if (isCode || text === '' || text.startsWith('```')) isOpen = false
    else if (text.startsWith('|')) {
      for (const cell of text.split('|')) blocks.push({ line, text: cell.trim() })
      isOpen = false
    } else if (isOpen && !/^(#|[-*] |\d+\. |>)/.test(text))
      blocks.push({ line, text: `${blocks.pop()?.text ?? ''} ${text}` })
    else {
      blocks.push({ line, text: text.replace(/^(#+|[-*]|\d+\.|>) /, '') })
      isOpen = !text.startsWith('#')
    }
  }
  return blocks
}

function problemsOfDocument(file: string, document: string): string[] {
  return blocksOf(document).flatMap(({ line, text }) =>
    text.split(/(?<=[.!?]\)?) +(?=[A-Z])/).flatMap((sentence) => {
      const problem = problemOf(sentence.replace(/`[^`]*`/g, '`').replace(/^[*_([]+/, ''))
      return problem ? [`${file}:${line}: ${sentence}: ${problem}`] : []
    }),
  )
}

test('detects forbidden wordings in comments and titles', () => {
  const bad = [
    '/** Who pays. */',
    '// where it is empty',
    '/**\n * What is kept.\n */',
    "test('whoever asks is refused', () => {})",
    "test('rejects a row of before', () => {})",
    "is('what it costs', (provider) => provider.health())",
    "matrix(\n  'where it is empty', scene, [])",
    "tell('notifies whoever asked', [])",
    "tell('sends notifications', [{ what: 'notifies nobody' }])",
    "matrix('restricts operations', scene, [\n  [\n    'what it costs',\n    (s) => ['GET', s.path]]])",
  ]
  for (const source of bad) assert.equal(problemsOf('a.ts', source).length, 1, source)
  const good =
    "/** Returns the payer. */\n// Names the user\n// who pays.\ntest('returns 404 when the feed is deleted', f)"
  assert.deepEqual(problemsOf('a.ts', good), [])
})

test('detects forbidden wordings in SQL comments', () => {
  assert.equal(problemsOf('a.sql', '-- Names the payer\n-- who pays.\n  -- When it ends.').length, 0)
  assert.equal(problemsOf('a.sql', 'select 1;\n-- What the provider charges.').length, 1)
})

test('detects forbidden wordings in all parts of documents', () => {
  const bad = [
    'The author pays. Who asked gets a refund.',
    '- Whoever asks is refused.',
    '## What waits for a decision',
    '| `a` | where newcomers wait |',
    'A notification is\nwritten, and the author is\ntold of it.',
    '**Where it runs.** On PostgreSQL.',
  ]
  for (const document of bad) assert.equal(problemsOfDocument('a.md', document).length, 1, document)
  const good = '# Rules\n\nThe author names\nwho pays.\n\n```sh\nwhat is this\n```\n\n| a user | pays |'
  assert.deepEqual(problemsOfDocument('a.md', good), [])
})

test('finds no forbidden wording in documents', () => {
  const files = DOCUMENTS.flatMap((pattern) => globSync(pattern))
  assert.ok(files.length > 40, `saw only ${files.length} documents`)
  const problems = files.flatMap((file) => problemsOfDocument(file, readFileSync(file, 'utf8')))
  assert.deepEqual(problems, [], `See docs/glossary.md and CONTRIBUTING.md:\n${problems.join('\n')}`)
})

test('finds no forbidden wording in new migrations', () => {
  const files = globSync('migrations/*.sql').filter(
    (file) => file > `migrations/${LAST_UNCHECKED_MIGRATION}z`,
  )
  assert.ok(files.length > 20, `saw only ${files.length} migrations`)
  for (const file of files) {
    const problems = problemsOf(file, readFileSync(file, 'utf8'))
    if (FROZEN.includes(file.slice('migrations/'.length, -'.sql'.length)))
      assert.notDeepEqual(problems, [], `${file} needs no exception`)
    else assert.deepEqual(problems, [], problems.join('\n'))
  }
})

test('finds no forbidden wording in comments and titles', () => {
  const files = SOURCES.flatMap((pattern) => globSync(pattern)).filter(
    (file) => !/generated|node_modules/.test(file) && file !== 'test/prose.test.ts',
  )
  assert.ok(files.length > 300, `saw only ${files.length} files`)
  const problems = files.flatMap((file) => problemsOf(file, readFileSync(file, 'utf8')))
  assert.deepEqual(problems, [], `See docs/glossary.md and CONTRIBUTING.md:\n${problems.join('\n')}`)
})

/** Participles that name no thing. */
const PARTICIPLE =
  /\b(?:const|let|type|function)\s+(told|made|gone|kept|given|known|Told|Made|Gone|Kept|Given|Known)\b/

/** Modules whose names still contain participles. A module leaves the list when it is clean. */
const WITH_PARTICIPLES = [
  'accounts',
  'comments',
  'feeds',
  'files',
  'groups',
  'im',
  'ledger',
  'likes',
  'mail',
  'notifications',
  'personal-data',
  'sanctions',
  'statistics',
  'users',
]

const namesIn = (text: string) => text.split('\n').flatMap((line) => PARTICIPLE.exec(line)?.[1] ?? [])

test('detects participles as names', () => {
  assert.deepEqual(namesIn('const made = 1\nlet ids = made\ntype Told = string'), ['made', 'Told'])
})

test('names values and types of modules by nouns, except in WITH_PARTICIPLES', () => {
  const modules = globSync('src/modules/*').map((path) => path.slice('src/modules/'.length))
  const found = modules.filter((module) =>
    globSync(`src/modules/${module}/**/*.ts`).some(
      (file) => !file.endsWith('.test.ts') && namesIn(readFileSync(file, 'utf8')).length > 0,
    ),
  )
  assert.ok(modules.length > 30, `saw only ${modules.length} modules`)
  assert.deepEqual(
    found.filter((module) => !WITH_PARTICIPLES.includes(module)),
    [],
  )
})

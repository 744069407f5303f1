/** Prints statistics of the working copy or of a commit: `node scripts/figures.ts [REVISION]`. */
import { execFileSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'

type Source = { path: string; text: string }

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const revision = process.argv[2]
const folder = revision === undefined ? ROOT : unpack(revision)

function unpack(commit: string): string {
  const target = mkdtempSync(join(tmpdir(), 'kith-figures-'))
  process.on('exit', () => rmSync(target, { recursive: true, force: true }))
  const archive = execFileSync('git', ['archive', commit], { cwd: ROOT, maxBuffer: 1024 ** 3 })
  execFileSync('tar', ['-x', '-C', target], { input: archive })
  return target
}

function codeOf(text: string): string {
  let code = ''
  const templates: number[] = []
  let at = 0
  const skipTemplate = () => {
    while (at < text.length && text[at] !== '`' && !text.startsWith('${', at)) at += text[at] === '\\' ? 2 : 1
    if (text[at] === '`') at += 1
    else {
      at += 2
      templates.push(0)
    }
  }
  const skipTo = (end: RegExp) => {
    end.lastIndex = at
    const found = end.exec(text)
    at = found ? end.lastIndex : text.length
  }
  while (at < text.length) {
    const char = text[at] as string
    if (text.startsWith('//', at)) skipTo(/\n/g)
    else if (text.startsWith('/*', at)) skipTo(/\*\//g)
    else if (char === "'" || char === '"') {
      at += 1
      skipTo(char === "'" ? /(?:\\.|[^'\\])*'/gy : /(?:\\.|[^"\\])*"/gy)
      code += "''"
    } else if (char === '`') {
      at += 1
      code += "''"
      skipTemplate()
    } else if (char === '/' && /(?:[(,=:[!&|?{};]|return)\s*$/.test(code.slice(-20))) {
      at += 1
      skipTo(/(?:\\.|\[(?:\\.|[^\]\\])*\]|[^/\\[])*\/\w*/gy)
      code += "''"
    } else if (char === '}' && templates.at(-1) === 0) {
      at += 1
      templates.pop()
      code += ' '
      skipTemplate()
    } else {
      const open = templates.length - 1
      if (open >= 0 && char === '{') templates[open] = (templates[open] ?? 0) + 1
      if (open >= 0 && char === '}') templates[open] = (templates[open] ?? 0) - 1
      code += char
      at += 1
    }
  }
  return code
}

const read = (pattern: string): Source[] =>
  globSync(pattern, { cwd: folder })
    .sort()
    .map((path) => ({ path, text: readFileSync(join(folder, path), 'utf8') }))
const linesOf = ({ text }: Source) => text.split('\n').length - 1
const sum = (numbers: number[]) => numbers.reduce((total, each) => total + each, 0)
const matches = (text: string, pattern: RegExp) => [...text.matchAll(pattern)]
function share(numbers: number[], part: number): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0
}

function exportsOf(code: string): number {
  const declared = matches(
    code,
    /^export (?:declare )?(?:abstract )?(?:async )?(?:const|let|function\*?|class|type|interface|enum) [\w$]/gm,
  )
  const listed = matches(code, /^export (?:type )?\{([^}]*)\}/gm).flatMap(([, names = '']) =>
    names.split(',').filter((name) => name.trim() !== ''),
  )
  return declared.length + listed.length
}

const castsOf = (code: string) =>
  matches(
    code.replace(/^(?:import|export)\s[^;]*?\bfrom\b/gm, '').replace(/^export (?:type )?\{[^}]*\}/gm, ''),
    /\bas (?!const\b)/g,
  ).length

const all = read('src/**/*.ts')
const sources = all.filter(
  ({ path, text }) => !path.endsWith('.test.ts') && !text.startsWith('// Written by'),
)
const tests = [...all.filter(({ path }) => path.endsWith('.test.ts')), ...read('test/**/*.ts')]
const code = sources.map((source) => ({ ...source, code: codeOf(source.text) }))
const lengths = sources.map(linesOf)
const routes = sources.filter(({ path }) => basename(path) === 'routes.ts' || path.includes('/routes/'))
const indexes = code.filter(({ path }) => /^src\/modules\/[^/]+\/index\.ts$/.test(path))

const rules = read('docs/rules/*.md').filter(({ path }) => basename(path) !== 'README.md')
const areas = rules.map(({ path }) => basename(path, '.md'))
const ids = new Set(
  rules.flatMap(({ path, text }) =>
    matches(text, /\b([a-z]+(?:-[a-z]+)*-\d+)\b/g)
      .map(([, id = '']) => id)
      .filter((id) => id.startsWith(`${basename(path, '.md')}-`)),
  ),
)
const documents = [...read('*.md'), ...read('docs/*.md'), ...read('docs/decisions/*.md'), ...read('bench/*')]
const cited = [...all, ...tests.filter(({ path }) => path.startsWith('test/')), ...documents]
  .map(({ text }) => text)
  .join('\n')
const citations =
  areas.length === 0
    ? []
    : matches(cited, new RegExp(`\\b(?:${areas.join('|')})-\\d+\\b`, 'g')).map(([id]) => id)
const elsewhere = matches(cited, /R §|decisions §|specification §? ?\d/g).length

const figures: [string, string | number][] = [
  ['source files', sources.length],
  ['test files', tests.length],
  ['lines without tests', sum(lengths)],
  ['lines of tests', sum(tests.map(linesOf))],
  ['median length of a source file', share(lengths, 0.5)],
  ['90th percentile of it', share(lengths, 0.9)],
  ['source files over 300 lines', lengths.filter((length) => length > 300).length],
  ['test files over 300 lines', tests.filter((test) => linesOf(test) > 300).length],
  ['exports', sum(code.map((source) => exportsOf(source.code)))],
  ['exports of the modules’ index.ts', sum(indexes.map((source) => exportsOf(source.code)))],
  ['casts (`as`, not `as const`)', sum(code.map((source) => castsOf(source.code)))],
  ['lines of routes', sum(routes.map(linesOf))],
  ['rules', ids.size],
  ['citations of rules', citations.length],
  ['of which resolve', citations.filter((id) => ids.has(id)).length],
  ['citations of documents elsewhere', elsewhere],
]
const width = Math.max(...figures.map(([name]) => name.length))
for (const [name, value] of figures) console.log(`${name.padEnd(width)}  ${value}`)

// Generates src/generated from openapi.json. With --check, fails when the committed files are outdated.
import { spawnSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

const at = (path) => new URL(`../${path}`, import.meta.url)
const PREFIX = '/api/v2'
const VERBS = ['get', 'head', 'post', 'put', 'patch', 'delete', 'options', 'trace']
const NOTE = '// Generated from openapi.json by `npm run dev -- openapi`. Do not edit.\n'

function installTools() {
  const script = fileURLToPath(at('../scripts/prepare.mjs'))
  const { status } = spawnSync(process.execPath, [script, fileURLToPath(at(''))], { stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}

/**
 * Removes deprecated operations and error responses from the document. Error responses need no separate
 * types, because all have one format.
 */
function forClients(document) {
  const errorCodes = new Set()
  const unpaidCodes = new Set()
  const errorsOf = []
  const idempotent = []
  const paths = {}
  for (const [path, operations] of Object.entries(document.paths)) {
    if (!path.startsWith(`${PREFIX}/`)) continue
    const kept = {}
    for (const [verb, operation] of Object.entries(operations)) {
      if (!VERBS.includes(verb) || operation.deprecated) continue
      const responses = {}
      const own = new Set()
      for (const [status, response] of Object.entries(operation.responses)) {
        const [, name] = /^#\/components\/responses\/(.+)$/.exec(response.$ref ?? '') ?? []
        const { headers, 'x-unpaid-codes': unpaid = [] } = name
          ? document.components.responses[name]
          : response
        const codes = headers?.['X-Error-Code']?.schema.enum ?? []
        for (const code of codes) errorCodes.add(code) && own.add(code)
        for (const code of unpaid) unpaidCodes.add(code)
        if (codes.includes('idempotency_key_running')) idempotent.push(`${verb} ${path.slice(PREFIX.length)}`)
        if (Number(status) < 400 || status === 'default') responses[status] = response
      }
      kept[verb] = { ...operation, responses }
      errorsOf.push(`  ${operation.operationId}: ${[...own].sort().map(quoted).join(' | ')}\n`)
    }
    if (Object.keys(kept).length > 0) paths[path.slice(PREFIX.length)] = kept
  }
  return {
    document: { ...document, paths, servers: undefined },
    errorCodes,
    unpaidCodes,
    errorsOf,
    idempotent,
  }
}

function listsOf({ paths, components }) {
  const entries = []
  for (const [path, { get }] of Object.entries(paths)) {
    const query = new Map(
      (get?.parameters ?? []).filter((each) => each.in === 'query').map((each) => [each.name, each]),
    )
    const declared = get?.responses[200]?.content?.['application/json']?.schema
    // Of several forms, the first one is current.
    const schema = declared?.anyOf?.[0] ?? declared
    // Rankings have no cursor field and continue by offset.
    const by = ['after', 'offset', 'page'].find((name) => query.has(name))
    if (!by || !schema) continue
    const { properties = {} } = components.schemas[schema.$ref?.split('/').at(-1)] ?? {}
    const items =
      ['data', 'comments', 'feeds', 'posts'].find((name) => properties[name]?.type === 'array') ?? null
    if (schema.type !== 'array' && items === null)
      throw new Error(`no field is known for the items of ${path}`)
    entries.push(
      `  ${JSON.stringify(path)}: ${JSON.stringify({
        by,
        key: query.get(by).schema['x-key'] ?? 'id',
        items,
        max: query.get('limit')?.schema.maximum ?? null,
      })},\n`,
    )
  }
  return `/**\n * Paged lists. \`by\` is the query parameter that selects the next page. If it is a cursor, \`key\` is its field in an\n * item. \`items\` is the field of the list, or null if the reply itself is the list. \`max\` is the page size limit.\n */\nexport const LISTS = {\n${entries.join('')}} as const\n`
}

function compact(text) {
  const lines = []
  let depth = 1
  for (const line of text.split('\n')) {
    const indent = line.search(/\S/)
    if (indent === 0) depth = line.includes('interface components') ? 2 : 1
    const previous = lines.at(-1) ?? ''
    const continues =
      indent > depth * 4 ||
      (indent === depth * 4 && (line.trimStart().startsWith('}') || previous.trimStart().startsWith('/**')))
    if (continues) lines[lines.length - 1] = `${previous} ${line.trim()}`
    else if (indent >= 0) lines.push(line)
  }
  return lines.map((line) => line.replace(/ (header|cookie)\?: never;/g, '')).join('\n')
}

const quoted = (value) => JSON.stringify(value)
const union = (values) =>
  [...values]
    .sort()
    .map((value) => `\n  | ${quoted(value)}`)
    .join('')
const listed = (name, comment, values) =>
  `/** ${comment} */\nexport const ${name}: ReadonlySet<string> = new Set([\n${values.map((value) => `  ${JSON.stringify(value)},\n`).join('')}])\n`

installTools()
const { default: openapiTS, astToString } = await import('openapi-typescript')
const { document, errorCodes, unpaidCodes, errorsOf, idempotent } = forClients(
  JSON.parse(await readFile(at('../openapi.json'), 'utf8')),
)
const types = compact(astToString(await openapiTS(document, { defaultNonNullable: false, silent: true })))
const files = {
  'src/generated/api.ts': `${NOTE}${types}\n`,
  'src/generated/error-codes.ts': `${NOTE}/** Values of the header \`X-Error-Code\`. */\nexport type ErrorCode =${union(errorCodes)}\n/** Codes of responses whose body names a price. */\nexport type UnpaidCode =${union(unpaidCodes)}\n/** Error codes by operation. */\nexport interface OperationErrors {\n${errorsOf.join('')}}\n`,
  'src/generated/lists.ts': `${NOTE}${listsOf(document)}`,
  'src/generated/idempotent.ts': `${NOTE}${listed('IDEMPOTENT', 'Operations that accept an `Idempotency-Key` header.', idempotent)}`,
}
for (const [path, text] of Object.entries(files)) {
  if (!process.argv.includes('--check')) await writeFile(at(path), text)
  else if ((await readFile(at(path), 'utf8').catch(() => '')) !== text) {
    console.error(`sdk/${path} is outdated. Run \`npm run dev -- openapi\`.`)
    process.exitCode = 1
  }
}

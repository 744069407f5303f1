// Writes src/generated from openapi.json of the repository, or with --check fails when what is committed differs. One
// operation, path and schema a line, in the order of openapi.json: both change, and merge, in the same places.
import { spawnSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

const at = (path) => new URL(`../${path}`, import.meta.url)
const PREFIX = '/api/v2'
const VERBS = ['get', 'head', 'post', 'put', 'patch', 'delete', 'options', 'trace']
const NOTE = '// Generated from openapi.json by `npm run openapi`. Do not edit.\n'

/** The generator wants a compiler of its own, which is installed beside it where it is not yet. */
function installTools() {
  const script = fileURLToPath(at('../scripts/install-if-needed.mjs'))
  const { status } = spawnSync(process.execPath, [script, fileURLToPath(at(''))], { stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}

/** What a client needs: today's spelling of each operation, without the failures, which are all of one form. */
function forClients(document) {
  const errorCodes = new Set()
  const idempotent = []
  const paths = {}
  for (const [path, operations] of Object.entries(document.paths)) {
    if (!path.startsWith(`${PREFIX}/`)) continue
    const kept = {}
    for (const [verb, operation] of Object.entries(operations)) {
      if (!VERBS.includes(verb) || operation.deprecated) continue
      const responses = {}
      for (const [status, response] of Object.entries(operation.responses)) {
        const [, name] = /^#\/components\/responses\/(.+)$/.exec(response.$ref ?? '') ?? []
        const { headers } = name ? document.components.responses[name] : response
        const codes = headers?.['X-Error-Code']?.schema.enum ?? []
        for (const code of codes) errorCodes.add(code)
        if (codes.includes('idempotency_key_running')) idempotent.push(`${verb} ${path.slice(PREFIX.length)}`)
        if (Number(status) < 400 || status === 'default') responses[status] = response
      }
      kept[verb] = { ...operation, responses }
    }
    if (Object.keys(kept).length > 0) paths[path.slice(PREFIX.length)] = kept
  }
  return { document: { ...document, paths, servers: undefined }, errorCodes, idempotent }
}

/** How each list goes on, where its items are, and how many a page may have; by the parameters that it declares. */
function listsOf({ paths, components }) {
  const entries = []
  for (const [path, { get }] of Object.entries(paths)) {
    const query = new Map(
      (get?.parameters ?? []).filter((each) => each.in === 'query').map((each) => [each.name, each]),
    )
    const schema = get?.responses[200]?.content?.['application/json']?.schema
    // Where nothing goes on after an item, as in rankings, the place does.
    const by = ['after', 'offset', 'page'].find((name) => query.has(name))
    if (!by || !schema) continue
    const { properties = {} } = components.schemas[schema.$ref?.split('/').at(-1)] ?? {}
    const items =
      ['data', 'comments', 'feeds', 'posts'].find((name) => properties[name]?.type === 'array') ?? null
    if (schema.type !== 'array' && items === null)
      throw new Error(`nobody knows where the items of ${path} are`)
    entries.push(
      `  ${JSON.stringify(path)}: ${JSON.stringify({
        by,
        key: query.get(by).schema['x-key'] ?? 'id',
        items,
        max: query.get('limit')?.schema.maximum ?? null,
      })},\n`,
    )
  }
  return `/** Lists that have pages: what they go on by, which field of the last item that is, where the items are, and how many a page has at most. */\nexport const LISTS = {\n${entries.join('')}} as const\n`
}

/** Brings each member of the interfaces, or of what lies in them, onto a line of its own. */
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

const listed = (name, comment, values) =>
  `/** ${comment} */\nexport const ${name}: ReadonlySet<string> = new Set([\n${values.map((value) => `  ${JSON.stringify(value)},\n`).join('')}])\n`

installTools()
const { default: openapiTS, astToString } = await import('openapi-typescript')
const { document, errorCodes, idempotent } = forClients(
  JSON.parse(await readFile(at('../openapi.json'), 'utf8')),
)
const types = compact(astToString(await openapiTS(document, { defaultNonNullable: false, silent: true })))
const codes = [...errorCodes].sort().map((code) => `\n  | ${JSON.stringify(code)}`)
const files = {
  'src/generated/api.ts': `${NOTE}${types}\n`,
  'src/generated/error-codes.ts': `${NOTE}/** Every word that \`X-Error-Code\` may be. */\nexport type ErrorCode =${codes.join('')}\n`,
  'src/generated/lists.ts': `${NOTE}${listsOf(document)}`,
  'src/generated/idempotent.ts': `${NOTE}${listed('IDEMPOTENT', 'Operations that take an `Idempotency-Key`.', idempotent)}`,
}
for (const [path, text] of Object.entries(files)) {
  if (!process.argv.includes('--check')) await writeFile(at(path), text)
  else if ((await readFile(at(path), 'utf8').catch(() => '')) !== text) {
    console.error(`sdk/${path} is not what openapi.json says: run \`npm run openapi\`.`)
    process.exitCode = 1
  }
}

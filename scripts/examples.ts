/**
 * Merges examples that a test run wrote with KITH_EXAMPLES into the API documentation: `npm run dev -- examples --
 * folder`. Keeps only examples that match their schema. Without a folder, only adds
 * the fields that a changed schema now requires to the stored examples.
 */
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { type Examples, isBetter } from '#test/example-record.ts'

const FILE = new URL('../src/platform/http/api-page/examples.json', import.meta.url)
const [folder] = process.argv.slice(2)

type Schema = { [name: string]: unknown }
type Content = Record<string, { schema: Schema }>
type Operation = {
  operationId: string
  deprecated?: boolean
  requestBody?: { content: Content }
  responses: Record<string, { content?: Content }>
}
const document = JSON.parse(readFileSync(new URL('../openapi.json', import.meta.url), 'utf8')) as {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}
const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true, verbose: true })
ajv.addSchema({ $id: 'kith', components: document.components })
const fits = (schema: Schema, value: unknown): boolean =>
  ajv.validate(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"kith#/')), value)

const EMPTY: Record<string, unknown> = {
  null: null,
  integer: 0,
  number: 0,
  boolean: false,
  string: '',
  array: [],
}
const emptyOf = ({ type, anyOf }: Schema): unknown => {
  const types = [type, ...((anyOf as Schema[] | undefined) ?? []).map((each) => each.type)].flat().map(String)
  const found = types.includes('null') ? 'null' : types.find((each) => each in EMPTY)
  return found === undefined ? {} : EMPTY[found]
}

/** Adds empty values for required fields that the schema gained after the recording, so that the example still fits. */
function complete<T>(schema: Schema, example: T): T {
  const value = structuredClone(example)
  while (!fits(schema, value)) {
    const gaps = ajv.errors?.filter(({ keyword }) => keyword === 'required') ?? []
    if (gaps.length === 0) return example
    for (const { instancePath, params, parentSchema } of gaps) {
      const owner = instancePath
        .split('/')
        .slice(1)
        .reduce<unknown>((at, key) => (at as Schema)[key], value)
      const name = String(params.missingProperty)
      ;(owner as Schema)[name] = emptyOf(parentSchema?.properties[name] ?? {})
    }
  }
  return value
}

const NAMES = ['ada_lovelace', 'lin_xia', 'noor_haddad', 'tomas_vale', 'mei_chen', 'ravi_rao']
const readable = (text: string) => {
  const seen = new Map<string, string>()
  return text
    .replace(/\bu\d+_\d+_[0-9a-f]{4}\b/g, (name) => {
      const given = seen.get(name) ?? NAMES[seen.size % NAMES.length]!
      seen.set(name, given)
      return given
    })
    .replace(/http:\/\/(127\.0\.0\.1|localhost):\d+/g, 'https://social.example.org')
}

const WRITTEN: Examples = {
  operations: {
    'GET /api/v2/aboutus': { reply: { 200: '<!doctype html><title>About us</title>' } },
    'POST /api/v2/im/register': { reply: { 202: [] } },
  },
  schemas: {
    Error: { message: 'The given data was invalid.', errors: { name: ['The name is taken.'] } },
    UnpaidError: { message: 'You must pay for this feed first.', paid_node: 12, amount: 30 },
    TextNode: 'Hello ',
    TextPart: { type: 'strong', nodes: ['Attention:'] },
    TextCode: { type: 'code', text: 'npm start' },
    TextLink: { type: 'link', href: 'https://example.org/a', nodes: ['https://example.org/a'] },
    TextMention: { type: 'mention', user: 7, name: 'ada' },
    TextTopic: { type: 'topic', topic: 3, name: 'Hiking' },
    TextUpload: { type: 'upload', file: 12, title: 'The summit', width: 960, height: 640 },
    TextImage: { type: 'image', href: 'https://example.org/a.png', title: 'A map' },
    TextBreak: { type: 'break' },
    TextHeading: { type: 'heading', level: 1, anchor: 'the-way', nodes: ['The way'] },
    TextList: { type: 'list', start: 1, items: [['Boots'], ['Water']] },
    TextTable: {
      type: 'table',
      align: ['left', null],
      rows: [
        [['Day'], ['Way']],
        [['1'], ['20 km']],
      ],
    },
    UploadLimits: {
      max_bytes: 10_485_760,
      max_pixels: 50_000_000,
      mime_types: ['image/jpeg', 'video/mp4'],
      node_max_bytes: 2_097_152,
      node_mime_types: ['image/jpeg', 'image/png'],
    },
    LedgerDrift: { check: 'balances', key: '7', kept: 120, counted: 100 },
  },
}

const runs = (folder === undefined ? [] : globSync(`${folder}/*.json`))
  .sort()
  .map((path) => JSON.parse(readFileSync(path, 'utf8')) as Examples)
  // Operations that this run did not call keep their examples.
  .concat(existsSync(FILE) ? (JSON.parse(readFileSync(FILE, 'utf8')) as Examples) : [], WRITTEN)
const found: Examples = { operations: {}, schemas: {} }
const schemaOf = (content: Content | undefined) => content?.['application/json']?.schema

for (const run of runs)
  for (const [title, example] of Object.entries(run.schemas)) {
    const schema = document.components.schemas[title]
    const value = schema && complete(schema, example)
    if (schema && fits(schema, value) && isBetter(value, found.schemas[title])) found.schemas[title] = value
  }
const ofSchema = ({ $ref }: Schema) => found.schemas[String($ref).split('/').at(-1) ?? '']
const missing: string[] = []
for (const [path, operations] of Object.entries(document.paths))
  for (const [verb, operation] of Object.entries(operations)) {
    if (operation.deprecated) continue
    const key = `${verb.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`
    const own: Examples['operations'][string] = {}
    const body = schemaOf(operation.requestBody?.content)
    for (const run of runs) {
      const made = run.operations[key]
      if (!made) continue
      if (
        body &&
        made.request !== undefined &&
        fits(body, made.request) &&
        isBetter(made.request, own.request)
      )
        own.request = made.request
      for (const [status, { content }] of Object.entries(operation.responses)) {
        const schema = schemaOf(content)
        const example = made.reply?.[status]
        if (!schema || example === undefined) continue
        const value = complete(schema, example)
        if (!fits(schema, value)) continue
        if (isBetter(value, own.reply?.[status])) own.reply = { ...own.reply, [status]: value }
      }
    }
    if (body) own.request ??= ofSchema(body)
    for (const [status, { content }] of Object.entries(operation.responses)) {
      const schema = schemaOf(content)
      if (schema && Number(status) < 300 && own.reply?.[status] === undefined && ofSchema(schema))
        own.reply = { ...own.reply, [status]: ofSchema(schema) }
    }
    if (body && own.request === undefined) missing.push(`${key} request`)
    for (const [status, { content }] of Object.entries(operation.responses))
      if (Number(status) < 300 && schemaOf(content) && own.reply?.[status] === undefined)
        missing.push(`${key} ${status}`)
    if (own.request !== undefined || own.reply) found.operations[key] = own
  }
for (const title of Object.keys(document.components.schemas))
  if (!(title in found.schemas)) missing.push(`schema ${title}`)

const lines = (map: Record<string, unknown>) =>
  Object.entries(map)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${JSON.stringify(name)}: ${readable(JSON.stringify(value))}`)
    .join(',\n')
writeFileSync(
  FILE,
  `{\n"operations": {\n${lines(found.operations)}\n},\n"schemas": {\n${lines(found.schemas)}\n}\n}\n`,
)
console.log(
  `${Object.keys(found.operations).length} operations and ${Object.keys(found.schemas).length} schemas; ${missing.length} missing`,
)
for (const each of missing) console.log(`  ${each}`)

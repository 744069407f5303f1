type Schema = {
  $ref?: string
  type?: string | string[]
  description?: string
  default?: unknown
  'x-key'?: string
  maximum?: number
  items?: Schema
  properties?: Record<string, Schema>
  anyOf?: Schema[]
}
type Operation = {
  deprecated?: boolean
  operationId: string
  'x-alias-of'?: string
  parameters?: { in: string; name: string; schema: Schema }[]
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>
}
export type Described = {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}

const CURSORS = ['after', 'max_id', 'index', 'since', 'hot', 'page', 'offset']
const SEARCHES = ['q', 'search', 'key', 'keyword', 'keywords', 'name', 'subject']

export function listsPage(document: Described): { text: string; count: number } {
  const resolve = (schema: Schema): Schema =>
    schema.$ref ? (document.components.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {}) : schema

  function timesIn(schema: Schema, seen = new Set<Schema>()): Set<string> {
    const found = new Set<string>()
    const walk = (each: Schema): void => {
      const { type, description = '', items, properties = {}, anyOf = [] } = resolve(each)
      if (seen.has(resolve(each))) return
      seen.add(resolve(each))
      if ([type].flat().includes('string') && description.startsWith('UTC, '))
        found.add(description.includes('Z') ? '`T…Z`' : '`… …`')
      for (const below of [...Object.values(properties), ...anyOf, ...(items ? [items] : [])]) walk(below)
    }
    walk(schema)
    return found
  }

  const rows = Object.entries(document.paths).flatMap(([path, { get }]) => {
    if (!get || get.deprecated) return []
    const query = new Map(
      (get.parameters ?? []).filter((each) => each.in === 'query').map((each) => [each.name, each]),
    )
    const limit = query.get('limit')?.schema
    const reply = Object.values(get.responses['200']?.content ?? {})[0]?.schema
    if (!limit || !reply) return []
    // Of several forms, the first one is current.
    const shape = resolve(reply.anyOf?.[0] ?? reply)
    const lists = Object.entries(shape.properties ?? {}).filter(([, each]) => resolve(each).type === 'array')
    const items = shape.type === 'array' ? 'the reply' : lists.map(([name]) => `\`${name}\``).join(', ')
    const named = (names: string[]) =>
      names
        .filter((name) => query.has(name))
        .map((name) => {
          const key = query.get(name)?.schema['x-key']
          return key === undefined ? `\`${name}\`` : `\`${name}\` (\`${key}\`)`
        })
        .join(', ') || '–'
    const size = `${limit.default ?? '–'} / ${limit.maximum ?? '–'}`
    const cells = [path.replace('/api/v2', ''), named(CURSORS), size, named(SEARCHES), items]
    return [
      `| \`${cells[0]}\` | ${cells.slice(1).join(' | ')} | ${[...timesIn(reply)].sort().join(', ') || '–'} |`,
    ]
  })

  const text = `# Lists

The table has a row for every list with pages: its cursors, the number of items of a page (default / maximum), its search
parameters, the field of the items, and the format of its times. \`npm run dev -- openapi\` generates this page from \`openapi.json\`.

- \`after\` is the \`id\` of the last item, or the field in brackets. The page begins after this item in the requested order
  (conventions-39). Every list takes \`after\`, except rankings, which use the rank, and lists without pages. The other cursors
  are older ones of existing clients: \`max_id\`, \`index\` and \`since\` (conventions-15), \`hot\`, which is a rank, \`page\`, which counts from
  1 (conventions-16), and \`offset\`, which counts items.
- \`q\` finds a part of the text in every list with a search. Another name beside it is an older name of the parameter.
- A page with fewer items than \`limit\` is the last one (conventions-14).
- Times are UTC: \`… …\` is \`YYYY-MM-DD HH:MM:SS\`, \`T…Z\` is \`YYYY-MM-DDTHH:MM:SSZ\` (conventions-3).

| List | Cursors | Items | Search | Field | Times |
|---|---|---|---|---|---|
${rows.join('\n')}
`
  return { text, count: rows.length }
}

export function deprecatedPage(document: Described): { text: string; count: number } {
  const all = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([verb, operation]) => ({
      operation,
      label: `\`${verb.toUpperCase()} ${path.replace('/api/v2', '')}\``,
    })),
  )
  const current = new Map(all.map(({ operation, label }) => [operation.operationId, label]))
  const rows = all
    .filter(({ operation }) => operation.deprecated)
    .map(
      ({ operation, label }) =>
        `| ${label} | ${current.get(operation['x-alias-of'] ?? '') ?? 'none: existing clients only'} |`,
    )
  const text = `# Deprecated paths

Existing clients call these paths. They behave like the current paths, and will stay. The types of the SDK omit them. New
clients use the paths in the right column. \`npm run dev -- openapi\` writes this page.

| Deprecated | Current |
|---|---|
${rows.join('\n')}
`
  return { text, count: rows.length }
}

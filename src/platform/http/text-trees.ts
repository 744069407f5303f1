import { LRUCache } from 'lru-cache'
import { parseText, type TextFormat } from '#lib/markup/parse.ts'
import { hasSign, linkReferences, type References, type Sign } from '#lib/markup/references.ts'
import { mapLeaves, type TextTree, visit } from '#lib/markup/tree.ts'
import { type Context, defineState } from '#platform/context.ts'
import type { Db } from '#platform/database'
import { type TextMark, type TSchema, Type } from './schema.ts'

/** A text of the content with this type and id. */
type MemberTextOf = { type: string; id: number; format: TextFormat; text: string }

type Named = { type: string; id: number; names: string[] }
type Size = { width: number; height: number }

/** Finds what the names and uploads in texts stand for. The modules that own them register these functions. */
type Sources = {
  /** Users mentioned in each text. `names` are those between soft hyphens, as in older texts. */
  users(sql: Db, texts: Named[]): Promise<References[]>
  topics(sql: Db, texts: Named[]): Promise<References[]>
  /** Sizes of pictures that are attached to the content whose text contains them. */
  sizes(sql: Db, uploads: { file: number; content: number }[]): Promise<Map<number, Size>>
}

const sourcesOf = defineState((): Partial<Sources> => ({}))

export const addTextSource = <N extends keyof Sources>(ctx: Context, name: N, source: Sources[N]): void => {
  sourcesOf(ctx)[name] = source
}

type Parsed = { tree: TextTree; names: string[]; files: number[]; bytes: number }

const CACHE_BYTES = 16 * 1024 * 1024
const OVERHEAD_BYTES = 500
const NODE_BYTES = 150
/** Length of a text in UTF-16 units above which parsing and linking let other requests run first. */
const LONG = 2000

const parsedOf = defineState(
  () =>
    new LRUCache<string, Parsed>({
      maxSize: CACHE_BYTES,
      sizeCalculation: ({ bytes }) => bytes,
    }),
)

function parse(text: string, format: TextFormat): Parsed {
  const parsed: Parsed = {
    tree: parseText(text, format),
    names: [],
    files: [],
    bytes: OVERHEAD_BYTES + text.length * 2,
  }
  visit(parsed.tree, (node) => {
    parsed.bytes += NODE_BYTES
    if (typeof node === 'string') {
      parsed.bytes += node.length * 2
      return
    }
    if ('href' in node) parsed.bytes += node.href.length * 2
    if ('text' in node) parsed.bytes += node.text.length * 2
    if (node.type === 'mention') parsed.names.push(node.name)
    if (node.type === 'upload') parsed.files.push(node.file)
  })
  return parsed
}

async function parsedText(ctx: Context, { text, format }: MemberTextOf): Promise<Parsed> {
  const cache = parsedOf(ctx)
  const key = format + text
  const known = cache.get(key)
  if (known) return known
  if (text.length > LONG) await new Promise(setImmediate)
  const parsed = parse(text, format)
  cache.set(key, parsed)
  return parsed
}

const NO_NAMES: References = new Map()

/** The trees of members' texts, with current names of mentioned users and topics. */
export async function treesOf(ctx: Context, texts: MemberTextOf[], sql: Db = ctx.sql): Promise<TextTree[]> {
  const parsed: Parsed[] = []
  for (const text of texts) parsed.push(await parsedText(ctx, text))
  const { users, topics, sizes } = sourcesOf(ctx)
  /** References by the position of the text. */
  const find = async (sign: Sign, source: Sources['users'] | undefined) => {
    const asked = texts.flatMap(({ type, id, text }, at) =>
      hasSign(text, sign) ? [{ at, type, id, names: (parsed[at] as Parsed).names }] : [],
    )
    const found = asked.length > 0 && source ? await source(sql, asked) : []
    return new Map(asked.map(({ at }, n) => [at, found[n] ?? NO_NAMES]))
  }
  const uploads = parsed.flatMap(({ files }, n) =>
    files.map((file) => ({ file, content: (texts[n] as MemberTextOf).id })),
  )
  const [people, named, known] = await Promise.all([
    find('@', users),
    find('#', topics),
    uploads.length > 0 && sizes ? sizes(sql, uploads) : new Map<number, Size>(),
  ])
  const trees: TextTree[] = []
  for (const [at, { tree, names, files }] of parsed.entries()) {
    const found = { users: people.get(at) ?? NO_NAMES, topics: named.get(at) ?? NO_NAMES }
    const isNamed = found.users.size + found.topics.size + names.length > 0
    if (isNamed && (texts[at] as MemberTextOf).text.length > LONG) await new Promise(setImmediate)
    const linked = isNamed ? linkReferences(tree, found) : tree
    trees.push(files.length > 0 && known.size > 0 ? withSizes(linked, known) : linked)
  }
  return trees
}

const withSizes = (tree: TextTree, sizes: Map<number, Size>): TextTree =>
  mapLeaves(tree, (leaf) =>
    typeof leaf !== 'string' && leaf.type === 'upload' ? [{ ...leaf, ...sizes.get(leaf.file) }] : [leaf],
  )

type Json = Record<string, unknown>
type Found = { holder: Json; name: string; text: MemberTextOf }
type Collect = (value: unknown, found: Found[]) => unknown

/** Builds a function that copies a reply as far as its members' texts, and lists the copies. */
function collectorOf(schema: TSchema): Collect | undefined {
  const { properties, items } = schema as { properties?: Record<string, TSchema>; items?: TSchema }
  if (items) {
    const each = collectorOf(items)
    return each && ((value, found) => (Array.isArray(value) ? value.map((item) => each(item, found)) : value))
  }
  if (!properties) return undefined
  const texts: [string, TextMark][] = []
  const parts: [string, Collect][] = []
  for (const [name, property] of Object.entries(properties)) {
    const mark = (property as { 'x-text'?: TextMark })['x-text']
    if (mark) texts.push([name, mark])
    const part = collectorOf(property)
    if (part) parts.push([name, part])
  }
  if (texts.length + parts.length === 0) return undefined
  return (value, found) => {
    if (typeof value !== 'object' || value === null) return value
    const copy: Json = { ...value }
    for (const [name, part] of parts) if (name in copy) copy[name] = part(copy[name], found)
    for (const [name, { of: type, format }] of texts) {
      const text = copy[name]
      if (typeof text === 'string')
        found.push({ holder: copy, name: `${name}_tree`, text: { type, id: Number(copy.id), format, text } })
    }
    return copy
  }
}

/** Returns a function that adds the trees to a reply, or undefined for a reply without members' texts. */
export function treeAdderOf(
  schema: TSchema,
): ((ctx: Context, reply: unknown) => Promise<unknown>) | undefined {
  const collect = collectorOf(schema)
  return (
    collect &&
    (async (ctx, reply) => {
      const found: Found[] = []
      const copy = collect(reply, found)
      const trees = await treesOf(
        ctx,
        found.map(({ text }) => text),
      )
      for (const [n, { holder, name }] of found.entries()) holder[name] = trees[n]
      return copy
    })
  )
}

/** The query parameter that asks for the trees of a reply's texts. */
export const TREES = Type.Optional(
  Type.Boolean({ description: 'Adds the tree of each text of members, as in `body_tree`' }),
)

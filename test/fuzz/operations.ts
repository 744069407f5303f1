import type { Server } from '#platform/http'
import type { Schema } from './inputs.ts'

const VERBS = ['get', 'post', 'put', 'patch', 'delete'] as const

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export type Operation = {
  method: Method
  path: string
  query: { name: string; required: boolean; schema: Schema }[]
  body: Schema | undefined
  /** Body that a test sent with success. */
  example: unknown
  isForm: boolean
  /** Set when the operation destroys data that other requests need. It runs only in the last quarter of a round. */
  isDestructive: boolean
  /** Set when the path is an older one of another operation. */
  isAlias: boolean
}

export const nameOf = ({ method, path }: Operation) => `${method} ${path}`

type Described = {
  operationId: string
  'x-alias-of'?: string
  parameters?: { in: string; name: string; required?: boolean; schema: Schema }[]
  requestBody?: { content: Record<string, Content> }
}
type Content = { schema: Schema; examples?: { example?: { value: unknown } } }
type Document = {
  paths: Record<string, Record<string, Described>>
  components: { schemas: Record<string, Schema> }
}

export function readOperations(app: Server): { operations: Operation[]; named: Record<string, Schema> } {
  const { paths, components } = app.swagger() as unknown as Document
  const byId = new Map(
    Object.values(paths).flatMap((verbs) => Object.values(verbs).map((each) => [each.operationId, each])),
  )
  const exampleOf = (described: Described) => {
    const { content = {} } = byId.get(described['x-alias-of'] ?? described.operationId)?.requestBody ?? {}
    return Object.values(content).find(({ examples }) => examples)?.examples?.example?.value
  }
  const operations = Object.entries(paths).flatMap(([path, verbs]) =>
    VERBS.flatMap((verb): Operation[] => {
      const described = verbs[verb]
      if (!described || path.endsWith('/stream')) return []
      const { 'application/json': json, 'multipart/form-data': form } = described.requestBody?.content ?? {}
      return [
        {
          method: verb.toUpperCase() as Method,
          path,
          query: (described.parameters ?? [])
            .filter((parameter) => parameter.in === 'query')
            .map(({ name, required = false, schema }) => ({ name, required, schema })),
          body: (form ?? json)?.schema,
          example: exampleOf(described),
          isForm: form !== undefined,
          isAlias: described['x-alias-of'] !== undefined,
          isDestructive:
            verb === 'delete' ||
            path.includes('/auth/logout') ||
            (verb !== 'get' && /\/admin\/(settings|roles|abilities|users\/\{\w+\}$)/.test(path)),
        },
      ]
    }),
  )
  return { operations, named: components.schemas }
}

/** Encodes fields as a multipart form, lists as PHP reads them. Puts the picture into the fields of files. */
export async function encodeForm(
  fields: object,
  picture: Buffer,
  files: readonly string[] = Object.keys(fields).filter((name) => /file|avatar/.test(name)),
): Promise<{ body: Buffer; headers: { 'content-type': string } }> {
  const form = new FormData()
  const add = (name: string, value: unknown) => {
    if (Array.isArray(value)) for (const [index, item] of value.entries()) add(`${name}[${index}]`, item)
    else if (typeof value === 'object' && value !== null)
      for (const [key, item] of Object.entries(value)) add(`${name}[${key}]`, item)
    else form.append(name, String(value))
  }
  for (const [name, value] of Object.entries(fields)) if (!files.includes(name)) add(name, value)
  for (const name of files) form.append(name, new Blob([new Uint8Array(picture)]), 'picture.png')
  const encoded = new Response(form)
  return {
    body: Buffer.from(await encoded.arrayBuffer()),
    headers: { 'content-type': encoded.headers.get('content-type') ?? '' },
  }
}

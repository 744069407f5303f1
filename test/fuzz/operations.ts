import type { Server } from '#platform/http'
import type { Schema } from './inputs.ts'

const VERBS = ['get', 'post', 'put', 'patch', 'delete'] as const

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export type Operation = {
  method: Method
  path: string
  query: { name: string; required: boolean; schema: Schema }[]
  body: Schema | undefined
  isForm: boolean
  /** Set when the operation destroys data that other requests need. It runs only in the last quarter of a round. */
  isDestructive: boolean
  /** Set when the path is an older one of another operation. */
  isAlias: boolean
}

type Described = {
  'x-alias-of'?: string
  parameters?: { in: string; name: string; required?: boolean; schema: Schema }[]
  requestBody?: { content: Record<string, { schema: Schema }> }
}
type Document = {
  paths: Record<string, Record<string, Described>>
  components: { schemas: Record<string, Schema> }
}

export function readOperations(app: Server): { operations: Operation[]; named: Record<string, Schema> } {
  const { paths, components } = app.swagger() as unknown as Document
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

/** Encodes fields as a multipart form. Puts the picture into every field of a file. */
export async function encodeForm(
  fields: object,
  picture: Buffer,
): Promise<{ body: Buffer; headers: { 'content-type': string } }> {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields))
    if (/file|avatar/.test(name)) form.append(name, new Blob([new Uint8Array(picture)]), 'picture.png')
    else form.append(name, typeof value === 'object' ? JSON.stringify(value) : String(value))
  const encoded = new Response(form)
  return {
    body: Buffer.from(await encoded.arrayBuffer()),
    headers: { 'content-type': encoded.headers.get('content-type') ?? '' },
  }
}

import { hash } from 'node:crypto'
import { issueToken } from '#modules/tokens/index.ts'
import type { Context } from '#platform/context.ts'
import type { Server } from '#platform/http'

export type Person = { id: number; name: string; token: string }

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export type Site = {
  // biome-ignore lint/suspicious/noExplicitAny: the caller knows the type of the response
  as(person: Person, method: Method, path: string, body?: unknown): Promise<any>
  upload(person: Person, bytes: Buffer, name: string): Promise<number>
  uploadNode(person: Person, bytes: Buffer, name: string): Promise<string>
  signIn(id: number, name: string): Promise<Person>
  readonly requests: number
}

const ATTEMPTS = 8

export function siteOn(app: Server, ctx: Context): Site {
  let requests = 0
  const call = async (method: Method, url: string, headers: Record<string, string>, payload?: unknown) => {
    const send = () => {
      requests += 1
      return app.inject({
        method,
        url,
        headers,
        ...(payload === undefined ? {} : { payload: payload as object }),
      })
    }
    let reply = await send()
    // A 503 means that the server has not started the request, so a retry is safe.
    for (let attempt = 1; reply.statusCode === 503 && attempt < ATTEMPTS; attempt += 1) {
      await new Promise((resolve) => setTimeout(resolve, 250 * attempt))
      reply = await send()
    }
    if (reply.statusCode >= 400)
      throw new Error(`${method} ${url} returned ${reply.statusCode} ${reply.body.slice(0, 500)}`)
    return reply.body === '' ? null : reply.json()
  }
  const bearer = ({ token }: Person) => ({ authorization: `Bearer ${token}` })
  return {
    get requests() {
      return requests
    },
    as: (person, method, path, body) => call(method, `/api/v2${path}`, bearer(person), body),
    async upload(person, bytes, name) {
      const form = new FormData()
      form.append('file', new Blob([new Uint8Array(bytes)]), name)
      const encoded = new Response(form)
      const type = encoded.headers.get('content-type') ?? ''
      const payload = Buffer.from(await encoded.arrayBuffer())
      const { id } = await call('POST', '/api/v2/files', { ...bearer(person), 'content-type': type }, payload)
      return id
    },
    async uploadNode(person, bytes, name) {
      const mime = name.endsWith('.png') ? 'image/png' : 'image/jpeg'
      const task = await call('POST', '/api/v2/storage', bearer(person), {
        filename: name,
        hash: hash('md5', bytes),
        size: bytes.length,
        mime_type: mime,
        storage: { channel: 'public' },
      })
      const { pathname, search } = new URL(task.uri)
      await call(task.method, pathname + search, task.headers, bytes)
      return task.node
    },
    async signIn(id, name) {
      const { access_token } = await issueToken(ctx.sql, id)
      return { id, name, token: access_token }
    },
  }
}

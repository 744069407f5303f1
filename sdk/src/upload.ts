import { networkError, readError } from './errors.ts'
import type { components } from './generated/api.ts'
import { md5 } from './md5.ts'

type Task = components['schemas']['StorageTask']

export type Progress = { sent: number; total: number }

export type UploadOptions = {
  /** File name with extension. The default is the name of the `File`, or `file` for another blob. */
  name?: string
  onProgress?: (progress: Progress) => void
  signal?: AbortSignal
}

/** An uploaded file. `id` is valid for one use, and `url` expires after one to two hours. */
export type Uploaded = {
  id: number
  url: string
  /** True when the server already had the bytes. */
  reused: boolean
}

export type Uploader = {
  base: string
  fetch: typeof fetch
  send(make: () => Request, by?: (request: Request) => Promise<Response>): Promise<Response>
}

const nameOf = (blob: Blob, name: string | undefined) => name ?? ('name' in blob ? String(blob.name) : 'file')

export async function uploadFile(uploader: Uploader, blob: Blob, options: UploadOptions): Promise<Uploaded> {
  const { base, send } = uploader
  const init = options.signal ? { signal: options.signal } : {}
  const hash = await md5(blob, options.signal)
  const known = await send(() => new Request(`${base}/files/uploaded/${hash}`, init))
  if (known.ok) {
    options.onProgress?.({ sent: blob.size, total: blob.size })
    return { ...((await known.json()) as { id: number; url: string }), reused: true }
  }
  if (known.status !== 404) throw await readError(known)
  await known.body?.cancel()
  const form = new FormData()
  form.append('file', blob, nameOf(blob, options.name))
  const response = await sendBody(uploader, `${base}/files`, { method: 'POST', body: form, ...init }, options)
  if (!response.ok) throw await readError(response)
  const { id, url } = (await response.json().catch((cause) => {
    // A proxy answered, such as the page of a hotel's network.
    throw networkError(cause, options.signal)
  })) as { id: number; url: string }
  return { id, url, reused: false }
}

export async function uploadNode(uploader: Uploader, blob: Blob, options: UploadOptions): Promise<string> {
  const { base, send } = uploader
  const init = options.signal ? { signal: options.signal } : {}
  const wish = {
    filename: nameOf(blob, options.name),
    hash: await md5(blob, options.signal),
    size: blob.size,
    mime_type: blob.type,
    storage: { channel: 'public' },
  }
  const headers = { 'content-type': 'application/json' }
  const asked = await send(
    () => new Request(`${base}/storage`, { method: 'POST', headers, body: JSON.stringify(wish), ...init }),
  )
  if (!asked.ok) throw await readError(asked)
  const task = (await asked.json()) as Task
  // Omits the token, because the signed URL may belong to a different host than the API.
  const signed = { method: task.method, headers: { ...task.headers }, body: blob, ...init }
  const stored = await sendBody({ ...uploader, send: sendOpen(uploader) }, task.uri, signed, options)
  if (!stored.ok) throw await readError(stored)
  await stored.body?.cancel()
  return task.node
}

const sendOpen =
  ({ fetch }: Uploader): Uploader['send'] =>
  (make, by = fetch) =>
    by(make())

/** Sends bytes and reports progress. Uses XMLHttpRequest in browsers, because `fetch` reports no upload progress. */
function sendBody(
  { send }: Pick<Uploader, 'send'>,
  url: string,
  init: RequestInit & { body: FormData | Blob },
  { onProgress }: UploadOptions,
): Promise<Response> {
  const whole = () => new Request(url, init)
  if (!onProgress) return send(whole)
  if ('XMLHttpRequest' in globalThis)
    return send(whole, (request) => sendByXhr(request, init.body, onProgress))
  return send(() => counted(url, init, onProgress))
}

function counted(
  url: string,
  init: RequestInit & { body: FormData | Blob },
  onProgress: (progress: Progress) => void,
): Request {
  const encoded = new Response(init.body)
  const headers = new Headers(init.headers)
  const type = encoded.headers.get('content-type')
  if (type && !headers.has('content-type')) headers.set('content-type', type)
  const total = sizeOf(init.body)
  let sent = 0
  const count = new TransformStream<Uint8Array, Uint8Array>({
    transform(bytes, controller) {
      sent = Math.min(total, sent + bytes.byteLength)
      controller.enqueue(bytes)
      onProgress({ sent, total })
    },
  })
  const body = (encoded.body as ReadableStream<Uint8Array>).pipeThrough(count)
  return new Request(url, { ...init, headers, body, duplex: 'half' } as RequestInit)
}

function sizeOf(body: FormData | Blob): number {
  if (body instanceof Blob) return body.size
  let size = 0
  for (const [, value] of body) size += typeof value === 'string' ? value.length : value.size
  return size
}

type Xhr = {
  open(method: string, url: string): void
  setRequestHeader(name: string, value: string): void
  getAllResponseHeaders(): string
  send(body: unknown): void
  abort(): void
  responseType: string
  response: Blob
  status: number
  upload: { onprogress: ((event: { loaded: number; total: number }) => void) | null }
  onload: (() => void) | null
  onerror: (() => void) | null
  onabort: (() => void) | null
}

function sendByXhr(
  request: Request,
  body: unknown,
  onProgress: (progress: Progress) => void,
): Promise<Response> {
  const { XMLHttpRequest } = globalThis as unknown as { XMLHttpRequest: new () => Xhr }
  return new Promise((resolve, reject) => {
    const xhr = new XMLHttpRequest()
    xhr.open(request.method, request.url)
    request.headers.forEach((value, name) => {
      // Leaves the content type of a form to the browser, which adds the boundary.
      if (name !== 'content-type' || !(body instanceof FormData)) xhr.setRequestHeader(name, value)
    })
    xhr.responseType = 'blob'
    xhr.upload.onprogress = ({ loaded, total }) => onProgress({ sent: loaded, total })
    xhr.onload = () => {
      const lines = xhr
        .getAllResponseHeaders()
        .trim()
        .split(/[\r\n]+/)
      const headers = new Headers(
        lines.filter(Boolean).map((line): [string, string] => {
          const at = line.indexOf(':')
          return [line.slice(0, at), line.slice(at + 1).trim()]
        }),
      )
      resolve(new Response(xhr.status === 204 ? null : xhr.response, { status: xhr.status, headers }))
    }
    xhr.onerror = () => reject(new TypeError('the request failed'))
    xhr.onabort = () => reject(request.signal.reason)
    request.signal.addEventListener('abort', () => xhr.abort(), { once: true })
    xhr.send(body)
  })
}

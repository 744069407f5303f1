import { call, kith, refusal, type Wire } from './client.ts'

export async function uploadFile(file: File): Promise<number> {
  const form = new FormData()
  form.append('file', file)
  const { data, error, response } = await (
    kith.api.POST as unknown as (
      path: string,
      options: unknown,
    ) => Promise<{ data?: Wire; error?: Wire; response: Response }>
  )('/files', { body: form, bodySerializer: (body: FormData) => body })
  if (!response.ok) throw refusal(response, error)
  return Number(data?.id)
}

export async function storePicture(file: File): Promise<string> {
  const { md5 } = await import('./md5.ts')
  const task = await call<{ uri: string; method: string; headers: Record<string, string>; node: string }>(
    'POST',
    '/storage',
    {
      body: {
        filename: file.name,
        hash: md5(new Uint8Array(await file.arrayBuffer())),
        size: file.size,
        mime_type: file.type,
        storage: { channel: 'public' },
      },
    },
  )
  const { pathname, search } = new URL(task.uri, location.href)
  const stored = await fetch(pathname + search, { method: task.method, headers: task.headers, body: file })
  if (!stored.ok) throw refusal(stored, await stored.json().catch(() => ({})))
  return task.node
}

const addresses = new Map<string, Promise<string>>()

export function fileAddress(id: number, width?: number): Promise<string> {
  const key = `${id}:${width ?? ''}`
  const known = addresses.get(key)
  if (known !== undefined) return known
  const asked = call<{ url: string }>('GET', `/files/${id}`, { query: { json: 1, w: width } }).then(
    ({ url }) => {
      const { pathname, search } = new URL(url, location.href)
      return pathname + search
    },
  )
  addresses.set(key, asked)
  // Removes signed URLs from the cache after five minutes, long before their signatures expire.
  setTimeout(() => addresses.delete(key), 5 * 60_000)
  asked.catch(() => addresses.delete(key))
  return asked
}

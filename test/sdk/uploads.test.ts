import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { flatPicture } from '#test/fixtures/media.ts'
import { isKithError, md5, type Progress } from '../../sdk/src/index.ts'
import { clientOf, createRunningWorld } from './running.ts'

const { url, person, as } = await createRunningWorld()

/** Replaces the browser's XMLHttpRequest, which Node lacks. */
class Xhr {
  upload: { onprogress: ((event: { loaded: number; total: number }) => void) | null } = { onprogress: null }
  onload: (() => void) | null = null
  onerror: (() => void) | null = null
  onabort: (() => void) | null = null
  responseType = ''
  response: Blob = new Blob()
  status = 0
  #to: [string, string] = ['', '']
  #headers = new Headers()
  #answered = new Headers()
  readonly #ended = new AbortController()
  open(method: string, to: string) {
    this.#to = [method, to]
  }
  setRequestHeader(name: string, value: string) {
    this.#headers.set(name, value)
  }
  getAllResponseHeaders() {
    return [...this.#answered].map(([name, value]) => `${name}: ${value}\r\n`).join('')
  }
  abort() {
    this.#ended.abort()
    this.onabort?.()
  }
  send(body: unknown) {
    const [method, to] = this.#to
    const init = { method, headers: this.#headers, body: body as FormData, signal: this.#ended.signal }
    this.upload.onprogress?.({ loaded: 1, total: 2 })
    fetch(to, init).then(
      async (response) => {
        this.response = await response.blob()
        this.status = response.status
        this.#answered = response.headers
        this.upload.onprogress?.({ loaded: 2, total: 2 })
        this.onload?.()
      },
      () => this.onerror?.(),
    )
  }
}

let shade = 0
const picture = async () => {
  shade += 1
  const bytes = await flatPicture(60, 40).tint({ r: shade, g: 80, b: 160 }).png().toBuffer()
  return new Blob([new Uint8Array(bytes)], { type: 'image/png' })
}

test('sends a file only once when the user uploads the same bytes again', async () => {
  const [ann, bob] = [await person(), await person()]
  const { kith, asked } = clientOf(url, ann)
  const file = await picture()
  const first = await kith.upload(file, { name: 'one.png' })
  assert.equal(first.reused, false)
  const again = await kith.upload(file, { name: 'two.png' })
  assert.equal(again.reused, true)
  assert.notEqual(again.id, first.id)
  assert.equal(asked.filter((address) => address.endsWith('/api/v2/files')).length, 1)
  assert.equal((await fetch(first.url)).status, 200)
  assert.equal((await clientOf(url, bob).kith.upload(file)).reused, false)
  const images = [{ id: first.id }, { id: again.id }]
  const made = await kith.post('/feeds', { body: { feed_from: 1, feed_mark: 1, images } })
  assert.equal((await as(bob, 'GET', `/feeds/${made.id}`)).body.images.length, 2)
})

test('reports upload progress up to the total', async () => {
  const { kith } = clientOf(url, await person())
  const told: Progress[] = []
  await kith.upload(await picture(), { onProgress: (progress) => told.push(progress) })
  assert.deepEqual(told.at(-1)?.sent, told.at(-1)?.total)
  const browser = globalThis as { XMLHttpRequest?: unknown }
  browser.XMLHttpRequest = Xhr
  try {
    told.length = 0
    const { reused } = await kith.upload(await picture(), { onProgress: (progress) => told.push(progress) })
    assert.equal(reused, false)
    assert.deepEqual(told, [
      { sent: 1, total: 2 },
      { sent: 2, total: 2 },
    ])
  } finally {
    delete browser.XMLHttpRequest
  }
})

test('reports why the server rejected an upload', async () => {
  const { kith } = clientOf(url, await person())
  const refused = await kith.upload(new Blob(['no picture'])).catch((error) => error)
  assert.ok(isKithError(refused, 'file_not_accepted'))
  assert.ok(refused.field('file'))
})

test('reports a network error when a proxy answers an upload with a page', async () => {
  const { kith } = clientOf(url, await person(), {
    fetch: (input, init) =>
      (input as Request).url.endsWith('/api/v2/files')
        ? Promise.resolve(new Response('<h1>Hotel</h1>', { headers: { 'content-type': 'text/html' } }))
        : fetch(input, init),
  })
  const refused = await kith.upload(await picture()).catch((error) => error)
  assert.ok(isKithError(refused, 'network_error'), String(refused))
})

test('throws the abort reason when the caller aborts an upload', async () => {
  const { kith } = clientOf(url, await person())
  const ended = new AbortController()
  ended.abort(new Error('enough'))
  await assert.rejects(kith.upload(await picture(), { signal: ended.signal }), /enough/)
})

test('uploads an avatar to its signed URL', async () => {
  const ann = await person()
  const { kith } = clientOf(url, ann)
  const node = await kith.uploadNode(await picture(), { name: 'face.png' })
  await kith.patch('/user', { body: { avatar: node } })
  const { avatar } = await kith.get('/user')
  assert.ok(avatar?.url)
  assert.equal((await fetch(avatar.url)).status, 200)
})

test('computes the MD5 of a file of any length', async () => {
  for (const length of [0, 1, 55, 56, 63, 64, 65, 119, 120, 2 ** 20 - 1, 2 ** 20, 2 ** 20 + 57]) {
    const bytes = randomBytes(length)
    assert.equal(await md5(new Blob([bytes])), createHash('md5').update(bytes).digest('hex'), String(length))
  }
})

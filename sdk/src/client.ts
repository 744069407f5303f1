import createFetchClient, {
  type Client as FetchClient,
  type FetchResponse,
  type MaybeOptionalInit,
} from 'openapi-fetch'
import type { MediaType, PathsWithMethod, RequiredKeysOf } from 'openapi-typescript-helpers'
import { Chats } from './chat.ts'
import { errorOf, networkError } from './errors.ts'
import type { paths } from './generated/api.ts'
import { IDEMPOTENT } from './generated/idempotent.ts'
import { LISTS } from './generated/lists.ts'
import { newKey } from './key.ts'
import { type ItemOf, type ListPath, pagesOf } from './paging.ts'
import { Session } from './session.ts'
import { notificationsOf, type OpenStream, type StreamedNotification, type StreamOptions } from './stream.ts'
import { memoryTokens, type TokenStore } from './token-store.ts'
import { RETRY, type RetryOptions, send } from './transport.ts'
import type { Uploaded, Uploader, UploadOptions } from './upload.ts'

type Verb = 'get' | 'post' | 'put' | 'patch' | 'delete'
type OrNothing<T> = [T] extends [never] ? undefined : T
type Replied<Operation, Init> =
  Operation extends Record<string | number, unknown>
    ? OrNothing<NonNullable<FetchResponse<Operation, Init, MediaType>['data']>>
    : never
type Rest<Init> = RequiredKeysOf<Init> extends never ? [Init?] : [Init]

export type Answer<Method extends Verb, Path extends PathsWithMethod<paths, Method>> = Replied<
  paths[Path][Method],
  unknown
>

type ListInit<Path extends ListPath> = MaybeOptionalInit<paths[Path], 'get'> & {
  /** Items per page. The default is 50 and the maximum 100. */
  pageSize?: number
}
type Page<Path extends ListPath> = Replied<paths[Path]['get'], unknown>

type Call<Method extends Verb> = <
  Path extends PathsWithMethod<paths, Method>,
  Init extends MaybeOptionalInit<paths[Path], Method>,
>(
  path: Path,
  ...init: Rest<Init>
) => Promise<Replied<paths[Path][Method], Init>>

export type ClientOptions = {
  /** Base URL of the server, such as `https://kith.example`. The default is the origin of the browser page. */
  url?: string
  /** Storage of the session. The default is memory, which a reload clears. */
  tokens?: TokenStore
  /** Language of messages, `en` or `zh`, or a function that the client calls before each request. */
  language?: string | (() => string)
  retry?: Partial<RetryOptions>
  headers?: Record<string, string>
  fetch?: typeof fetch
}

/** Loads the code of uploads when it is needed, because most pages upload nothing. */
async function loadUploads(): Promise<typeof import('./upload.ts')> {
  try {
    return await import('./upload.ts')
  } catch (cause) {
    throw networkError(cause)
  }
}

export class Kith {
  readonly session: Session
  /** Calls any operation. Returns `data`, `error` and `response` instead of throwing on an error response. */
  readonly api: FetchClient<paths>
  readonly get: Call<'get'> = (path, ...init) => this.#call('GET', path, init)
  readonly post: Call<'post'> = (path, ...init) => this.#call('POST', path, init)
  readonly put: Call<'put'> = (path, ...init) => this.#call('PUT', path, init)
  readonly patch: Call<'patch'> = (path, ...init) => this.#call('PATCH', path, init)
  readonly delete: Call<'delete'> = (path, ...init) => this.#call('DELETE', path, init)

  /** Conversations, on sites with the embedded chat. */
  readonly chat: Chats = new Chats({
    open: (after, signal) => this.#openStream('?chats=1')(after, signal),
    openPerson: (user) => this.put('/chats/people/{user}', { params: { path: { user } } }),
    openGroup: (group) => this.put('/chats/groups/{group}', { params: { path: { group } } }),
    send: (chat, body) => this.post('/chats/{chat}/messages', { params: { path: { chat } }, body }),
    messages: (chat, query) => this.get('/chats/{chat}/messages', { params: { path: { chat }, query } }),
    read: (chat, position) =>
      this.put('/chats/{chat}/position', { params: { path: { chat } }, body: { position } }),
    typing: (chat) => this.post('/chats/{chat}/typing', { params: { path: { chat } } }),
    presence: (chat) => this.post('/chats/{chat}/presence', { params: { path: { chat } } }),
  })

  readonly #uploader: Uploader

  constructor(options: ClientOptions = {}) {
    const { origin = '' } = (globalThis as { location?: { origin: string } }).location ?? {}
    const base = `${(options.url ?? origin).replace(/\/+$/, '')}/api/v2`
    const own = options.fetch ?? ((input, init) => fetch(input, init))
    const { language = 'en', headers = {} } = options
    const speaks = typeof language === 'function' ? language : () => language
    const mark = (request: Request) => {
      for (const [name, value] of Object.entries(headers)) request.headers.set(name, value)
    }
    const retry = { ...RETRY, ...options.retry }
    this.session = new Session({
      base,
      fetch: own,
      language: speaks,
      store: options.tokens ?? memoryTokens(),
    })
    this.#uploader = {
      base,
      fetch: own,
      send: (make, by) => {
        const inLanguage = () => {
          const request = make()
          request.headers.set('accept-language', speaks())
          mark(request)
          return request
        }
        const through = by ? (((request: Request) => by(request)) as typeof fetch) : own
        // The server deduplicates uploads by content, so a retry is safe.
        return send(inLanguage, { fetch: through, session: this.session, retry, repeatable: true })
      },
    }
    this.api = createFetchClient<paths>({ baseUrl: base, fetch: (request) => own(request) })
    this.api.use({
      onRequest: ({ request, schemaPath }) => {
        mark(request)
        if (!request.headers.has('accept-language')) request.headers.set('accept-language', speaks())
        const takesKey = IDEMPOTENT.has(`${request.method.toLowerCase()} ${schemaPath}`)
        if (takesKey && !request.headers.has('idempotency-key'))
          request.headers.set('idempotency-key', newKey())
        const repeatable = takesKey || request.method === 'GET' || request.method === 'HEAD'
        return send(() => request.clone(), { fetch: own, session: this.session, retry, repeatable })
      },
    })
  }

  /** Yields the pages of a list, as in `for await (const page of kith.pages('/feeds'))`. */
  pages<Path extends ListPath>(
    path: Path,
    ...[init]: Rest<ListInit<Path>>
  ): AsyncGenerator<Page<Path>, void, undefined> {
    const read = (pageInit: object) => this.#call('GET', path, [pageInit])
    return pagesOf<Page<Path>>(path, (init ?? {}) as object, read)
  }

  /** Yields the items of a list and loads pages on demand, as in `for await (const feed of kith.list('/feeds'))`. */
  async *list<Path extends ListPath>(
    path: Path,
    ...init: Rest<ListInit<Path>>
  ): AsyncGenerator<ItemOf<Path, Page<Path>>, void, undefined> {
    const { items } = LISTS[path]
    for await (const page of this.pages(path, ...init))
      yield* (items === null ? page : (page as Record<string, unknown>)[items]) as ItemOf<Path, Page<Path>>[]
  }

  /** Uploads a file, or reuses the user's earlier upload of equal bytes. The returned id is valid for one use. */
  async upload(file: Blob, options: UploadOptions = {}): Promise<Uploaded> {
    return (await loadUploads()).uploadFile(this.#uploader, file, options)
  }

  /** Uploads a picture of at most 2 MiB. Returns a node (`public:…`), which avatars and topic pictures need. */
  async uploadNode(file: Blob, options: UploadOptions = {}): Promise<string> {
    return (await loadUploads()).uploadNode(this.#uploader, file, options)
  }

  /** Yields each new notification once, as in `for await (const notification of kith.notifications())`. */
  notifications(options: StreamOptions = {}): AsyncGenerator<StreamedNotification, void, undefined> {
    return notificationsOf(this.#openStream(''), options)
  }

  #openStream(query: string): OpenStream {
    const { base, send: sendRequest } = this.#uploader
    return (after, signal) =>
      sendRequest(() => {
        const headers: Record<string, string> = { accept: 'text/event-stream' }
        if (after !== undefined) headers['last-event-id'] = after
        return new Request(`${base}/user/notifications/stream${query}`, { headers, signal })
      })
  }

  close(): void {
    this.session.close()
  }

  // biome-ignore lint/suspicious/noExplicitAny: `Call` types the arguments and the result of each operation
  async #call(verb: Uppercase<Verb>, path: string, init: readonly unknown[]): Promise<any> {
    const method = this.api[verb] as unknown as (
      path: string,
      options: unknown,
    ) => Promise<{ data?: unknown; error?: unknown; response: Response }>
    const { data, error, response } = await method(path, init[0])
    if (!response.ok) throw errorOf(response, error)
    return data
  }
}

export const createClient = (options?: ClientOptions): Kith => new Kith(options)

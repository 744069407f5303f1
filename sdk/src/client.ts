import createFetchClient, {
  type Client as FetchClient,
  type FetchResponse,
  type MaybeOptionalInit,
} from 'openapi-fetch'
import type { MediaType, PathsWithMethod, RequiredKeysOf } from 'openapi-typescript-helpers'
import { errorOf } from './errors.ts'
import type { paths } from './generated/api.ts'
import { IDEMPOTENT } from './generated/idempotent.ts'
import { Session } from './session.ts'
import { memoryTokens, type TokenStore } from './token-store.ts'
import { RETRY, type RetryOptions, send } from './transport.ts'

type Verb = 'get' | 'post' | 'put' | 'patch' | 'delete'
type OrNothing<T> = [T] extends [never] ? undefined : T
type Replied<Operation, Init> =
  Operation extends Record<string | number, unknown>
    ? OrNothing<NonNullable<FetchResponse<Operation, Init, MediaType>['data']>>
    : never
type Rest<Init> = RequiredKeysOf<Init> extends never ? [Init?] : [Init]

/** What an operation answers when it succeeds; undefined for those without a body. */
export type Answer<Method extends Verb, Path extends PathsWithMethod<paths, Method>> = Replied<
  paths[Path][Method],
  unknown
>

type Call<Method extends Verb> = <
  Path extends PathsWithMethod<paths, Method>,
  Init extends MaybeOptionalInit<paths[Path], Method>,
>(
  path: Path,
  ...init: Rest<Init>
) => Promise<Replied<paths[Path][Method], Init>>

export type ClientOptions = {
  /** Where the server is, `https://kith.example`; without it, where the page came from. */
  url?: string
  /** Where the sign-in is kept: in memory unless told otherwise (`browserTokens()`). */
  tokens?: TokenStore
  /** The language of messages, `en` or `zh`; a function is asked for each request. */
  language?: string | (() => string)
  retry?: Partial<RetryOptions>
  /** In place of the global `fetch`. */
  fetch?: typeof fetch
}

/** A client of one server, signed in as one person or nobody. */
export class Kith {
  /** The sign-in. */
  readonly session: Session
  /** Every operation with its answer, error and response, for callers that want no exceptions. */
  readonly api: FetchClient<paths>
  readonly get: Call<'get'> = (path, ...init) => this.#call('GET', path, init)
  readonly post: Call<'post'> = (path, ...init) => this.#call('POST', path, init)
  readonly put: Call<'put'> = (path, ...init) => this.#call('PUT', path, init)
  readonly patch: Call<'patch'> = (path, ...init) => this.#call('PATCH', path, init)
  readonly delete: Call<'delete'> = (path, ...init) => this.#call('DELETE', path, init)

  constructor(options: ClientOptions = {}) {
    const { origin = '' } = (globalThis as { location?: { origin: string } }).location ?? {}
    const base = `${(options.url ?? origin).replace(/\/+$/, '')}/api/v2`
    const own = options.fetch ?? ((input, init) => fetch(input, init))
    const { language = 'en' } = options
    const speaks = typeof language === 'function' ? language : () => language
    const retry = { ...RETRY, ...options.retry }
    this.session = new Session({
      base,
      fetch: own,
      language: speaks,
      store: options.tokens ?? memoryTokens(),
    })
    this.api = createFetchClient<paths>({ baseUrl: base, fetch: (request) => own(request) })
    this.api.use({
      onRequest: ({ request, schemaPath }) => {
        if (!request.headers.has('accept-language')) request.headers.set('accept-language', speaks())
        const takesKey = IDEMPOTENT.has(`${request.method.toLowerCase()} ${schemaPath}`)
        if (takesKey && !request.headers.has('idempotency-key'))
          request.headers.set('idempotency-key', crypto.randomUUID())
        const repeatable = takesKey || request.method === 'GET' || request.method === 'HEAD'
        return send(request, { fetch: own, session: this.session, retry, repeatable })
      },
    })
  }

  /** Lets go of what the client holds open. */
  close(): void {
    this.session.close()
  }

  // biome-ignore lint/suspicious/noExplicitAny: `Call` says what goes in and comes out; here all operations are alike
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

/** A client of a server of Kith. */
export const createClient = (options?: ClientOptions): Kith => new Kith(options)

import { errorOf, type Kith } from '@kith/client'
import { createFinalURL, createQuerySerializer, defaultPathSerializer } from 'openapi-fetch'

/** The part of the client that rendering uses. */
export type Reader = Pick<Kith, 'get'>

/** Reads a path below `/api/v2` in the server's process, without `Request` and `Response`. */
export type Ask = (path: string) => Promise<{
  status: number
  header(name: string): string | null
  body: unknown
}>

type Params = NonNullable<Parameters<typeof createFinalURL>[1]['params']>

const SERIALIZERS = {
  baseUrl: '',
  querySerializer: createQuerySerializer(),
  pathSerializer: defaultPathSerializer,
}

export function createReader(ask: Ask): Reader {
  const get = async (path: string, { params = {} }: { params?: Params } = {}) => {
    const { status, header, body } = await ask(createFinalURL(path, { ...SERIALIZERS, params }))
    if (status >= 400) throw errorOf({ status, headers: { get: header } }, body)
    return body
  }
  return { get: get as Kith['get'] }
}

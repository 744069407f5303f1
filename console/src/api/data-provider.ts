import { isKithError, KithError } from '@kith/client'
import { type DataProvider, HttpError } from 'react-admin'
import type { Area } from '../areas/area.ts'
import { areaNamed } from '../areas/areas.ts'
import { call, type Page, type Wire } from './client.ts'
import { createdSecrets } from './created-secrets.ts'
import { messageOf } from './message.ts'

const identify = (area: Area) => (row: Wire) => ({ ...row, id: area.idOf?.(row) ?? row.id }) as never

async function tell<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (!isKithError(error)) throw error
    const errors = Object.fromEntries(
      Object.entries(error.fields).map(([field, texts]) => [field, texts.join(' ')]),
    )
    const told = new HttpError(messageOf(error), error.status, { errors })
    throw Object.assign(told, { cause: error, code: error.code })
  }
}

const one = (area: Area, id: unknown) => `/admin/${area.path}/${encodeURIComponent(String(id))}`

async function getOne(name: string, id: unknown, query: Wire = {}) {
  const area = areaNamed(name)
  return { data: identify(area)(await tell(call('GET', one(area, id), { query }))) }
}

/**
 * Serves all areas of the console, because every administrative list has the same query and response format
 * (administration-2).
 */
export const dataProvider: DataProvider = {
  async getList(name, { pagination, sort, filter, meta }) {
    const area = areaNamed(name)
    const { page = 1, perPage = 15 } = pagination ?? {}
    const answer = await tell(
      call<Page | Wire[]>('GET', `/admin/${area.path}`, {
        query: area.isPlain
          ? {}
          : {
              ...area.query,
              ...filter,
              ...(meta as Wire | undefined),
              page,
              limit: perPage,
              ...(area.sorts?.includes(sort?.field ?? '')
                ? { sort: sort?.field, order: sort?.order === 'ASC' ? 'asc' : 'desc' }
                : {}),
            },
      }),
    )
    if (Array.isArray(answer)) return { data: answer.map(identify(area)), total: answer.length }
    const data = answer.data.map(identify(area))
    // The server omits the total when it searched only the newest rows.
    if (answer.more) return { data, pageInfo: { hasNextPage: true, hasPreviousPage: page > 1 } }
    return { data, total: answer.total }
  },
  getOne: (name, { id }) => getOne(name, id, areaNamed(name).hasTrees ? { trees: true } : {}),
  async getMany(name, { ids }) {
    const found = await Promise.all(
      ids.map((id) =>
        getOne(name, id).catch((error) => {
          if ([403, 404].includes((error as HttpError).status)) return null
          throw error
        }),
      ),
    )
    return { data: found.flatMap((answer) => (answer ? [answer.data] : [])) }
  },
  async getManyReference(name, { target, id, pagination, sort, filter }) {
    return dataProvider.getList(name, { pagination, sort, filter: { ...filter, [target]: id } })
  },
  async create(name, { data }) {
    const area = areaNamed(name)
    // Omits empty fields, which the form stores as null, so that the server applies its defaults.
    const given = Object.fromEntries(Object.entries(data as Wire).filter(([, value]) => value !== null))
    const made = await tell(call('POST', `/admin/${area.path}`, { body: area.toWire?.(given) ?? given }))
    if (made?.id && typeof made.secret === 'string') createdSecrets.set(Number(made.id), made.secret)
    return { data: { ...data, ...made, id: (made?.id ?? data.id ?? 0) as number } as never }
  },
  async update(name, { id, data, previousData }) {
    const area = areaNamed(name)
    const changed = Object.fromEntries(
      Object.entries(data as Wire).filter(
        ([key, value]) => JSON.stringify(value) !== JSON.stringify((previousData as Wire)?.[key]),
      ),
    )
    const body = area.toWire?.(changed) ?? changed
    if (Object.keys(body).length > 0) await tell(call('PATCH', one(area, id), { body }))
    return { data: { ...previousData, ...data, id } as never }
  },
  async updateMany() {
    throw new KithError(405, 'method_not_allowed', 'Change one at a time.')
  },
  async delete(name, { id, previousData }) {
    await tell(call('DELETE', one(areaNamed(name), id)))
    return { data: { ...previousData, id } as never }
  },
  async deleteMany(name, { ids }) {
    for (const id of ids) await tell(call('DELETE', one(areaNamed(name), id)))
    return { data: ids }
  },
}

import type { FastifyRequest } from 'fastify'
import type { Context } from '#platform/context.ts'
import { type Db, type Tx, transaction } from '#platform/database.ts'
import { type Server, viewerOf } from '#platform/http.ts'
import { Listing } from '#platform/listing.ts'
import { Created, Empty, Id, type Static, type TObject, Type } from '#platform/schema.ts'
import { recordAudit } from './audit/queries.ts'

/** One kind of records that administrators list, read, create, change and delete (decisions §12). */
export type Records<
  Row extends { id: number },
  Item extends TObject,
  Query extends TObject,
  Body extends TObject,
  Extra extends TObject,
> = {
  /** Such as `/admin/music/singers`. */
  path: string
  /** One for all, or one for each of what is done. */
  ability: string | { show: string; add: string; update: string; delete: string }
  /** Names the kind in the audit log, such as `music-singers`. */
  subject: string
  /** Such as `a singer`, for the documentation. */
  noun: string
  item: Item
  query: Query
  body: Body
  /** What can be changed besides, but not given at first. */
  extra?: Extra
  missing: () => Error
  list(sql: Db, query: Static<Query>): Promise<{ data: Row[]; total: number }>
  find(sql: Db, id: number, options?: { lock?: boolean }): Promise<Row | undefined>
  view(rows: Row[]): Promise<Static<Item>[]>
  create(tx: Tx, userId: number, body: Static<Body>): Promise<number>
  change(tx: Tx, userId: number, row: Row, body: Partial<Static<Body> & Static<Extra>>): Promise<void>
  remove(tx: Tx, row: Row): Promise<void>
  /** What of a record the audit log holds, where that is not all of it. */
  summary?(row: Row): Record<string, unknown>
  /** Runs after the commit of every change. */
  afterwards?(): void
}

/** Offers the five operations on records; changes lock the record and are kept in the audit log. */
export function recordRoutes<
  Row extends { id: number },
  Item extends TObject,
  Query extends TObject,
  Body extends TObject,
  Extra extends TObject = TObject<Record<never, never>>,
>(server: Server, ctx: Context, records: Records<Row, Item, Query, Body, Extra>): void {
  const { sql } = ctx
  const { path, noun, subject } = records
  const tags = ['Administration']
  const { ability } = records
  const abilities =
    typeof ability === 'string' ? { show: ability, add: ability, update: ability, delete: ability } : ability
  const access = { ability: abilities.show }
  const params = Type.Object({ id: Id })
  const summary = records.summary ?? ((row: Row) => row as Record<string, unknown>)
  const idOf = (request: FastifyRequest) => (request.params as { id: number }).id

  const get = async (request: FastifyRequest): Promise<Row> => {
    const row = await records.find(sql, idOf(request))
    if (!row) throw records.missing()
    return row
  }
  const changed = async (
    request: FastifyRequest,
    action: string,
    work: (tx: Tx, row: Row) => Promise<unknown>,
  ) => {
    await transaction(sql, async (tx) => {
      const row = await records.find(tx, idOf(request), { lock: true })
      if (!row) throw records.missing()
      await work(tx, row)
      const after = await records.find(tx, row.id)
      await recordAudit(tx, request, {
        action: `${subject}.${action}`,
        subjectType: subject,
        subjectId: row.id,
        before: summary(row),
        after: after ? summary(after) : null,
      })
    })
    records.afterwards?.()
  }

  server.get(
    path,
    {
      config: { access },
      schema: {
        tags,
        summary: `List: ${noun}`,
        querystring: records.query,
        response: { 200: Listing(records.item) },
      },
    },
    async (request, reply) => {
      const { data, total } = await records.list(sql, request.query as Static<Query>)
      return reply.send({ data: await records.view(data), total } as never)
    },
  )

  server.get(
    `${path}/:id`,
    {
      config: { access },
      schema: { tags, summary: `Read ${noun}`, params, response: { 200: records.item as TObject } },
    },
    async (request) => {
      const [view] = await records.view([await get(request)])
      return view as Record<string, unknown>
    },
  )

  server.post(
    path,
    {
      config: { access: { ability: abilities.add } },
      schema: { tags, summary: `Create ${noun}`, body: records.body, response: { 201: Created } },
    },
    async (request, reply) => {
      const body = request.body as Static<Body>
      const id = await transaction(sql, async (tx) => {
        const made = await records.create(tx, viewerOf(request).id, body)
        const row = await records.find(tx, made)
        await recordAudit(tx, request, {
          action: `${subject}.create`,
          subjectType: subject,
          subjectId: made,
          after: row ? summary(row) : null,
        })
        return made
      })
      records.afterwards?.()
      return reply.code(201).send({ id } as never)
    },
  )

  server.patch(
    `${path}/:id`,
    {
      config: { access: { ability: abilities.update }, before: get },
      schema: {
        tags,
        summary: `Change ${noun}`,
        params,
        body: Type.Partial(Type.Object({ ...records.body.properties, ...records.extra?.properties })),
        response: { 204: Empty },
      },
    },
    async (request, reply) => {
      await changed(request, 'update', (tx, row) =>
        records.change(tx, viewerOf(request).id, row, request.body as Partial<Static<Body> & Static<Extra>>),
      )
      return reply.code(204).send()
    },
  )

  server.delete(
    `${path}/:id`,
    {
      config: { access: { ability: abilities.delete } },
      schema: { tags, summary: `Delete ${noun}`, params, response: { 204: Empty } },
    },
    async (request, reply) => {
      await changed(request, 'delete', (tx, row) => records.remove(tx, row))
      return reply.code(204).send()
    },
  )
}

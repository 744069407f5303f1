import type { Context } from '#platform/context.ts'
import { type Db, type Tx, transaction } from '#platform/database'
import { type DeclaredError, notFound } from '#platform/errors.ts'
import {
  Created,
  Empty,
  Id,
  Listing,
  routesOn,
  type Server,
  type Static,
  type TObject,
  Type,
} from '#platform/http'
import { type Actor, type AuditEntry, recordAudit } from './queries.ts'

/** Decision on a pending record. Runs in the transaction that writes the audit entry. */
export type Decision<Row, Body extends TObject> = {
  summary: string
  /** The field `action` of the body is the verb in the audit log. */
  body: Body
  errors: readonly DeclaredError[]
  /** Set for a decision that moves money (see `idempotent` in the options of a route). */
  idempotent?: true
  /**
   * Runs the decision. Returns fields that replace those of the audit record, such as the default `before`, which
   * is `{ state: 'pending' }`.
   */
  run(tx: Tx, userId: number, row: Row, body: Static<Body>): Promise<Partial<AuditEntry>>
}

export type AdminRecords<
  Row extends { id: number },
  Item extends TObject,
  Query extends TObject,
  Body extends TObject,
  Extra extends TObject,
  Decided extends TObject,
> = {
  path: string
  tag: string
  ability: string | { show: string; add: string; update: string; delete: string }
  subject: string
  action?: string
  /** Base of the operation ids. `Singer` gives `adminListSingers` and `adminGetSinger`. */
  entity: string
  entities?: string
  noun: string
  nouns: string
  param?: string
  /** `false` omits the route that reads a single record. */
  read?: false
  item: Item
  query: Query
  body?: Body
  extra?: Extra
  /** Error for an unknown record id. Default: the 404 error that all routes share. */
  missing?: (() => Error) & DeclaredError
  errors?: readonly DeclaredError[]
  list(sql: Db, query: Static<Query>): Promise<{ data: Row[]; total: number }>
  find(sql: Db, id: number, options?: { lock?: boolean }): Promise<Row | undefined>
  view(rows: Row[], viewerId: number): Promise<Static<Item>[]>
  create?(tx: Tx, userId: number, body: Static<Body>): Promise<number>
  change?(tx: Tx, userId: number, row: Row, body: Partial<Static<Body> & Static<Extra>>): Promise<void>
  decide?: Decision<Row, Decided>
  remove?(tx: Tx, row: Row, userId: number): Promise<void>
  summary?(row: Row): Record<string, unknown>
}

/** Locks a record, calls `work` and writes the record before and after the change to the audit log. */
export type ChangeRecord<Row> = (
  actor: Actor,
  id: number,
  action: string,
  work: (tx: Tx, row: Row) => Promise<unknown>,
) => Promise<void>

/**
 * Mounts routes to list, read and write one kind of record (administration-3). Returns functions to read and
 * change a record, for further operations such as an approval.
 */
export function mountAdminRecords<
  Row extends { id: number },
  Item extends TObject,
  Query extends TObject,
  Body extends TObject = TObject<Record<never, never>>,
  Extra extends TObject = TObject<Record<never, never>>,
  Decided extends TObject = TObject<Record<never, never>>,
>(
  server: Server,
  ctx: Context,
  records: AdminRecords<Row, Item, Query, Body, Extra, Decided>,
): { change: ChangeRecord<Row>; get(id: number): Promise<Row> } {
  const { sql } = ctx
  const { path, noun, nouns, subject, ability, entity, entities = `${entity}s`, param = 'id' } = records
  const { create, change: changeRow, decide, remove, missing, errors = [] } = records
  const unknown = missing ? [missing] : []
  const route = routesOn(server, ctx, { tag: records.tag })
  const may =
    typeof ability === 'string' ? { show: ability, add: ability, update: ability, delete: ability } : ability
  const Params = Type.Object({ [param]: Id })
  const idOf = (params: Record<string, number>) => params[param]!
  const summary = records.summary ?? ((row: Row) => row as Record<string, unknown>)
  const actionOf = (verb: string) => `${records.action ?? subject}.${verb}`

  const get = async (id: number): Promise<Row> => {
    const row = await records.find(sql, id)
    if (!row) throw (missing ?? notFound)()
    return row
  }
  const change: ChangeRecord<Row> = async (actor, id, verb, work) => {
    await transaction(sql, async (tx) => {
      const row = await records.find(tx, id, { lock: true })
      if (!row) throw (missing ?? notFound)()
      await work(tx, row)
      const after = await records.find(tx, row.id)
      await recordAudit(tx, actor, {
        action: actionOf(verb),
        subjectType: subject,
        subjectId: row.id,
        before: summary(row),
        after: after ? summary(after) : null,
      })
    })
  }

  route(`GET ${path}`, {
    operationId: `adminList${entities}`,
    summary: `List ${nouns}`,
    access: { ability: may.show },
    query: records.query as TObject,
    reply: { 200: Listing(records.item as TObject) },
    handler: async ({ query, viewer }) => {
      const { data, ...totals } = await records.list(sql, query as Static<Query>)
      return { data: (await records.view(data, viewer.id)) as Record<string, unknown>[], ...totals }
    },
  })

  if (records.read !== false)
    route(`GET ${path}/:${param}`, {
      operationId: `adminGet${entity}`,
      summary: `Read ${noun}`,
      access: { ability: may.show },
      params: Params,
      reply: { 200: records.item as TObject },
      errors: unknown,
      handler: async ({ params, viewer }) => {
        const [view] = await records.view([await get(idOf(params))], viewer.id)
        return view as Record<string, unknown>
      },
    })

  if (create)
    route(`POST ${path}`, {
      operationId: `adminCreate${entity}`,
      summary: `Create ${noun}`,
      access: { ability: may.add },
      body: records.body as TObject,
      reply: { 201: Created },
      errors,
      handler: async (call) => {
        const id = await transaction(sql, async (tx) => {
          const newId = await create(tx, call.viewer.id, call.body as Static<Body>)
          const row = await records.find(tx, newId)
          await recordAudit(tx, call, {
            action: actionOf('create'),
            subjectType: subject,
            subjectId: newId,
            after: row ? summary(row) : null,
          })
          return newId
        })
        return { id }
      },
    })

  if (changeRow)
    route(`PATCH ${path}/:${param}`, {
      operationId: `adminUpdate${entity}`,
      summary: `Change ${noun}`,
      access: { ability: may.update },
      params: Params,
      body: Type.Partial(Type.Object({ ...records.body?.properties, ...records.extra?.properties }), {
        title: `${(records.item as { title?: string }).title ?? entity}Changes`,
      }),
      reply: { 204: Empty },
      errors: [...unknown, ...errors],
      precheck: ({ params }) => get(idOf(params)),
      handler: (call) =>
        change(call, idOf(call.params), 'update', (tx, row) =>
          changeRow(tx, call.viewer.id, row, call.body as Partial<Static<Body> & Static<Extra>>),
        ),
    })

  if (decide) {
    const decision = {
      operationId: `adminDecide${entity}`,
      summary: decide.summary,
      access: { ability: may.update },
      params: Params,
      body: decide.body as TObject,
      reply: { 204: Empty },
      errors: [...unknown, ...decide.errors],
      load: ({ params }: { params: Record<string, number> }) => get(idOf(params)),
    }
    const run = async (tx: Tx, call: Actor & { loaded: Row; body: unknown }) => {
      const { loaded: row, body } = call
      const entry = await decide.run(tx, call.viewer.id, row, body as Static<Decided>)
      const { action } = body as { action: string }
      const decided = { action: actionOf(action), subjectType: subject, subjectId: row.id }
      await recordAudit(tx, call, { ...decided, before: { state: 'pending' }, ...entry })
    }
    if (decide.idempotent)
      route(`PATCH ${path}/:${param}`, {
        ...decision,
        idempotent: true,
        handler: (call) => call.atomically((tx) => run(tx, call)),
      })
    else
      route(`PATCH ${path}/:${param}`, {
        ...decision,
        handler: (call) => transaction(sql, (tx) => run(tx, call)),
      })
  }

  if (remove)
    route(`DELETE ${path}/:${param}`, {
      operationId: `adminDelete${entity}`,
      summary: `Delete ${noun}`,
      access: { ability: may.delete },
      params: Params,
      reply: { 204: Empty },
      errors: [...unknown, ...errors],
      handler: (call) =>
        change(call, idOf(call.params), 'delete', (tx, row) => remove(tx, row, call.viewer.id)),
    })

  return { change, get }
}

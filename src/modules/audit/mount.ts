import type { Context } from '#platform/context.ts'
import { type Db, type Tx, transaction } from '#platform/database'
import type { DeclaredError } from '#platform/errors.ts'
import {
  type ApiTag,
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
import { type Actor, recordAudit } from './queries.ts'

export type AdminCrud<
  Row extends { id: number },
  Item extends TObject,
  Query extends TObject,
  Body extends TObject,
  Extra extends TObject,
> = {
  path: string
  tag: ApiTag
  ability: string | { show: string; add: string; update: string; delete: string }
  subject: string
  action?: string
  /** Base of the operation ids. `Singer` gives `adminListSingers` and `adminGetSinger`. */
  entity: string
  entities?: string
  noun: string
  nouns: string
  param?: string
  item: Item
  query: Query
  body: Body
  extra?: Extra
  missing: (() => Error) & DeclaredError
  errors?: readonly DeclaredError[]
  list(sql: Db, query: Static<Query>): Promise<{ data: Row[]; total: number }>
  find(sql: Db, id: number, options?: { lock?: boolean }): Promise<Row | undefined>
  view(rows: Row[], viewerId: number): Promise<Static<Item>[]>
  create(tx: Tx, userId: number, body: Static<Body>): Promise<number>
  change(tx: Tx, userId: number, row: Row, body: Partial<Static<Body> & Static<Extra>>): Promise<void>
  remove(tx: Tx, row: Row, userId: number): Promise<void>
  summary?(row: Row): Record<string, unknown>
}

/** Locks a record, calls `work` and writes both versions to the audit log. */
export type ChangeRecord<Row> = (
  actor: Actor,
  id: number,
  action: string,
  work: (tx: Tx, row: Row) => Promise<unknown>,
) => Promise<void>

/** Returns the function that further operations, such as an approval, use to update a record. */
export function mountAdminCrud<
  Row extends { id: number },
  Item extends TObject,
  Query extends TObject,
  Body extends TObject,
  Extra extends TObject = TObject<Record<never, never>>,
>(
  server: Server,
  ctx: Context,
  crud: AdminCrud<Row, Item, Query, Body, Extra>,
): { change: ChangeRecord<Row>; get(id: number): Promise<Row> } {
  const { sql } = ctx
  const { path, noun, nouns, subject, ability, entity, entities = `${entity}s`, missing, param = 'id' } = crud
  const route = routesOn(server, ctx, { tag: crud.tag })
  const may =
    typeof ability === 'string' ? { show: ability, add: ability, update: ability, delete: ability } : ability
  const Params = Type.Object({ [param]: Id })
  const idOf = (params: Record<string, number>) => params[param]!
  const summary = crud.summary ?? ((row: Row) => row as Record<string, unknown>)
  const actionOf = (verb: string) => `${crud.action ?? subject}.${verb}`

  const get = async (id: number): Promise<Row> => {
    const row = await crud.find(sql, id)
    if (!row) throw missing()
    return row
  }
  const change: ChangeRecord<Row> = async (actor, id, verb, work) => {
    await transaction(sql, async (tx) => {
      const row = await crud.find(tx, id, { lock: true })
      if (!row) throw missing()
      await work(tx, row)
      const after = await crud.find(tx, row.id)
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
    query: crud.query as TObject,
    reply: { 200: Listing(crud.item as TObject) },
    handler: async ({ query, viewer }) => {
      const { data, total } = await crud.list(sql, query as Static<Query>)
      return { data: (await crud.view(data, viewer.id)) as Record<string, unknown>[], total }
    },
  })

  route(`GET ${path}/:${param}`, {
    operationId: `adminGet${entity}`,
    summary: `Read ${noun}`,
    access: { ability: may.show },
    params: Params,
    reply: { 200: crud.item as TObject },
    errors: [missing],
    handler: async ({ params, viewer }) => {
      const [view] = await crud.view([await get(idOf(params))], viewer.id)
      return view as Record<string, unknown>
    },
  })

  route(`POST ${path}`, {
    operationId: `adminCreate${entity}`,
    summary: `Create ${noun}`,
    access: { ability: may.add },
    body: crud.body as TObject,
    reply: { 201: Created },
    errors: crud.errors ?? [],
    handler: async (call) => {
      const id = await transaction(sql, async (tx) => {
        const made = await crud.create(tx, call.viewer.id, call.body as Static<Body>)
        const row = await crud.find(tx, made)
        await recordAudit(tx, call, {
          action: actionOf('create'),
          subjectType: subject,
          subjectId: made,
          after: row ? summary(row) : null,
        })
        return made
      })
      return { id }
    },
  })

  route(`PATCH ${path}/:${param}`, {
    operationId: `adminUpdate${entity}`,
    summary: `Change ${noun}`,
    access: { ability: may.update },
    params: Params,
    body: Type.Partial(Type.Object({ ...crud.body.properties, ...crud.extra?.properties }), {
      title: `${(crud.item as { title?: string }).title ?? entity}Changes`,
    }),
    reply: { 204: Empty },
    errors: [missing, ...(crud.errors ?? [])],
    precheck: ({ params }) => get(idOf(params)),
    handler: (call) =>
      change(call, idOf(call.params), 'update', (tx, row) =>
        crud.change(tx, call.viewer.id, row, call.body as Partial<Static<Body> & Static<Extra>>),
      ),
  })

  route(`DELETE ${path}/:${param}`, {
    operationId: `adminDelete${entity}`,
    summary: `Delete ${noun}`,
    access: { ability: may.delete },
    params: Params,
    reply: { 204: Empty },
    errors: [missing, ...(crud.errors ?? [])],
    handler: (call) =>
      change(call, idOf(call.params), 'delete', (tx, row) => crud.remove(tx, row, call.viewer.id)),
  })

  return { change, get }
}

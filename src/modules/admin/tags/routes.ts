import postgres from 'postgres'
import { nameKey } from '#lib/text.ts'
import { wireTime } from '#lib/time.ts'
import type { Context } from '#platform/context.ts'
import { onConstraint, transaction } from '#platform/database.ts'
import { notFound } from '#platform/errors.ts'
import type { Server } from '#platform/http.ts'
import { Created, Empty, Id, Type } from '#platform/schema.ts'
import { recordAudit } from '../audit/queries.ts'
import { categoryInUse, emptyName, TAG_CONSTRAINTS, tagInUse } from './errors.ts'
import {
  deleteCategory,
  deleteTag,
  findCategory,
  findTag,
  insertCategory,
  insertTag,
  listCategories,
  listTags,
  updateCategory,
  updateTag,
} from './queries.ts'
import {
  CategoryChanges,
  CategoryInput,
  CategoryListing,
  CategoryQuery,
  ManagedCategory,
  ManagedTag,
  TagChanges,
  TagInput,
  TagListing,
  TagQuery,
} from './schema.ts'

const access = { ability: 'admin: tags' }
const tags = ['Administration']

const view = <T extends { created_at: string }>(row: T): T => ({
  ...row,
  created_at: wireTime(row.created_at),
})

const refuseEmpty = (name: string | undefined) => {
  if (name !== undefined && nameKey(name) === '') throw emptyName()
}

/** Whatever refers to a tag or a category keeps it, also what other modules hang on it. */
async function unlessUsed<T>(deletion: Promise<T>, used: () => Error): Promise<T> {
  try {
    return await deletion
  } catch (error) {
    throw error instanceof postgres.PostgresError && error.code === '23503' ? used() : error
  }
}

/** The tags people choose from, and their categories. */
export function tagManagementRoutes(server: Server, ctx: Context) {
  manageCategories(server, ctx)
  manageTags(server, ctx)
}

function manageCategories(server: Server, { sql }: Context) {
  const params = Type.Object({ category: Id })

  server.get(
    '/admin/tag-categories',
    {
      config: { access },
      schema: {
        tags,
        summary: 'Categories of tags, the heaviest first',
        querystring: CategoryQuery,
        response: { 200: CategoryListing },
      },
    },
    async (request) => {
      const { data, total } = await listCategories(sql, request.query)
      return { data: data.map(view), total }
    },
  )

  server.get(
    '/admin/tag-categories/:category',
    { config: { access }, schema: { tags, params, response: { 200: ManagedCategory } } },
    async (request) => {
      const row = await findCategory(sql, request.params.category)
      if (!row) throw notFound()
      return view(row)
    },
  )

  server.post(
    '/admin/tag-categories',
    { config: { access }, schema: { tags, body: CategoryInput, response: { 201: Created } } },
    async (request, reply) => {
      refuseEmpty(request.body.name)
      const id = await transaction(sql, async (tx) => {
        const made = await onConstraint(insertCategory(tx, request.body), TAG_CONSTRAINTS)
        await recordAudit(tx, request, {
          action: 'tag_categories.create',
          subjectType: 'tag_categories',
          subjectId: made,
          after: request.body,
        })
        return made
      })
      return reply.code(201).send({ id })
    },
  )

  server.patch(
    '/admin/tag-categories/:category',
    {
      config: {
        access,
        before: async (request) => {
          if (!(await findCategory(sql, (request.params as { category: number }).category))) throw notFound()
        },
      },
      schema: { tags, params, body: CategoryChanges, response: { 204: Empty } },
    },
    async (request, reply) => {
      const id = request.params.category
      const before = await findCategory(sql, id)
      if (!before) throw notFound()
      refuseEmpty(request.body.name)
      await transaction(sql, async (tx) => {
        if (!(await onConstraint(updateCategory(tx, id, request.body), TAG_CONSTRAINTS))) throw notFound()
        await recordAudit(tx, request, {
          action: 'tag_categories.update',
          subjectType: 'tag_categories',
          subjectId: id,
          before,
          after: request.body,
        })
      })
      return reply.code(204).send()
    },
  )

  server.delete(
    '/admin/tag-categories/:category',
    {
      config: { access },
      schema: { tags, summary: 'Delete a category that holds no tag', params, response: { 204: Empty } },
    },
    async (request, reply) => {
      const id = request.params.category
      const before = await findCategory(sql, id)
      if (!before) throw notFound()
      await transaction(sql, async (tx) => {
        if (!(await unlessUsed(deleteCategory(tx, id), categoryInUse))) throw notFound()
        await recordAudit(tx, request, {
          action: 'tag_categories.delete',
          subjectType: 'tag_categories',
          subjectId: id,
          before,
        })
      })
      return reply.code(204).send()
    },
  )
}

function manageTags(server: Server, { sql }: Context) {
  const params = Type.Object({ tag: Id })

  server.get(
    '/admin/tags',
    {
      config: { access },
      schema: { tags, summary: 'Tags', querystring: TagQuery, response: { 200: TagListing } },
    },
    async (request) => {
      const { data, total } = await listTags(sql, request.query)
      return { data: data.map(view), total }
    },
  )

  server.get(
    '/admin/tags/:tag',
    { config: { access }, schema: { tags, params, response: { 200: ManagedTag } } },
    async (request) => {
      const row = await findTag(sql, request.params.tag)
      if (!row) throw notFound()
      return view(row)
    },
  )

  server.post(
    '/admin/tags',
    { config: { access }, schema: { tags, body: TagInput, response: { 201: Created } } },
    async (request, reply) => {
      refuseEmpty(request.body.name)
      const id = await transaction(sql, async (tx) => {
        const made = await onConstraint(insertTag(tx, request.body), TAG_CONSTRAINTS)
        await recordAudit(tx, request, {
          action: 'tags.create',
          subjectType: 'tags',
          subjectId: made,
          after: request.body,
        })
        return made
      })
      return reply.code(201).send({ id })
    },
  )

  server.patch(
    '/admin/tags/:tag',
    {
      config: {
        access,
        before: async (request) => {
          if (!(await findTag(sql, (request.params as { tag: number }).tag))) throw notFound()
        },
      },
      schema: { tags, params, body: TagChanges, response: { 204: Empty } },
    },
    async (request, reply) => {
      const id = request.params.tag
      const before = await findTag(sql, id)
      if (!before) throw notFound()
      refuseEmpty(request.body.name)
      await transaction(sql, async (tx) => {
        if (!(await onConstraint(updateTag(tx, id, request.body), TAG_CONSTRAINTS))) throw notFound()
        await recordAudit(tx, request, {
          action: 'tags.update',
          subjectType: 'tags',
          subjectId: id,
          before,
          after: request.body,
        })
      })
      return reply.code(204).send()
    },
  )

  server.delete(
    '/admin/tags/:tag',
    {
      config: { access },
      schema: { tags, summary: 'Delete a tag that nothing carries', params, response: { 204: Empty } },
    },
    async (request, reply) => {
      const id = request.params.tag
      const before = await findTag(sql, id)
      if (!before) throw notFound()
      await transaction(sql, async (tx) => {
        if (!(await unlessUsed(deleteTag(tx, id), tagInUse))) throw notFound()
        await recordAudit(tx, request, {
          action: 'tags.delete',
          subjectType: 'tags',
          subjectId: id,
          before,
        })
      })
      return reply.code(204).send()
    },
  )
}

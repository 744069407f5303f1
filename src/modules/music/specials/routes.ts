import { hasAbility } from '#modules/abilities/index.ts'
import { listCollected, mountCollections } from '#modules/collections/index.ts'
import { mountComments } from '#modules/comments/index.ts'
import type { Context } from '#platform/context.ts'
import { type Server, viewerId, viewerOf } from '#platform/http.ts'
import { Empty, Type } from '#platform/schema.ts'
import { noSuchSpecial, unpaidSpecial } from '../errors.ts'
import { BoughtQuery, Special, SpecialDetail, SpecialListQuery, SpecialParams } from '../schema.ts'
import { playsOf } from '../songs/plays.ts'
import { listSpecialSongs } from '../songs/queries.ts'
import { songViews } from '../songs/service.ts'
import { countSpecialShare, findSpecial, listBoughtSpecials, listSpecials } from './queries.ts'
import { specialContent, specialViews } from './service.ts'

const tags = ['Music']

/** Albums: lists, one by itself, sharing, collections and comments. */
export function specialRoutes(server: Server, ctx: Context) {
  const { sql } = ctx

  server.get(
    '/music/specials',
    {
      config: { access: 'optional' },
      schema: {
        tags,
        summary: 'List albums, newest first, or some of them by id',
        querystring: SpecialListQuery,
        response: { 200: Type.Array(Special) },
      },
    },
    async (request) => {
      const { id: ids, max_id: before, limit = ids?.length || 15 } = request.query
      const viewer = viewerId(request)
      const rows = await listSpecials(sql, { ids, before, limit, viewerId: viewer })
      return specialViews(ctx, rows, viewer)
    },
  )

  server.get(
    '/music/specials/:special',
    {
      config: { access: 'optional' },
      schema: {
        tags,
        summary: 'Read an album with its songs; one with a price has to be paid first',
        params: SpecialParams,
        response: { 200: SpecialDetail },
      },
    },
    async (request) => {
      const viewer = viewerId(request)
      const row = await findSpecial(sql, request.params.special, viewer)
      if (!row) throw noSuchSpecial()
      const [view] = (await specialViews(ctx, [row], viewer)) as [Special]
      if (view.paid_node && !view.paid_node.paid)
        throw unpaidSpecial({ extra: { paid_node: view.paid_node.node, amount: view.paid_node.amount } })
      const songs = await listSpecialSongs(sql, row.id, viewer)
      const pending = songs.reduce((sum, song) => sum + playsOf(ctx).pending(song.id), 0)
      return {
        ...view,
        taste_count: view.taste_count + pending,
        musics: await songViews(ctx, songs, viewer),
      }
    },
  )

  server.patch(
    '/music/specials/:special/share',
    {
      config: { access: 'user' },
      schema: { tags, summary: 'Count a share of an album', params: SpecialParams, response: { 204: Empty } },
    },
    async (request, reply) => {
      if (!(await countSpecialShare(sql, request.params.special))) throw noSuchSpecial()
      return reply.code(204).send()
    },
  )

  server.get(
    '/music/collections',
    {
      config: { access: 'user' },
      schema: {
        tags,
        summary: 'List the albums I collected',
        querystring: BoughtQuery(15),
        response: { 200: Type.Array(Special) },
      },
    },
    async (request) => {
      const { id: userId } = viewerOf(request)
      const { limit = 15, max_id: after = 0 } = request.query
      const page = { type: specialContent.type, userId, limit, order: 'content', after } as const
      const ids = (await listCollected(sql, page)).map((row) => row.collectible_id)
      const rows = ids.length > 0 ? await listSpecials(sql, { ids, limit, viewerId: userId }) : []
      return specialViews(ctx, rows, userId)
    },
  )

  server.get(
    '/music-specials/paids',
    {
      config: { access: 'user' },
      schema: {
        tags,
        summary: 'List the albums I bought, the newest album first',
        querystring: BoughtQuery(15),
        response: { 200: Type.Array(Special) },
      },
    },
    async (request) => {
      const { id: viewer } = viewerOf(request)
      const { limit = 15, max_id: before = 0 } = request.query
      return specialViews(ctx, await listBoughtSpecials(sql, viewer, before, limit), viewer)
    },
  )

  mountCollections(server, ctx, specialContent, {
    create: '/music/specials/:special/collection',
    remove: '/music/specials/:special/collection',
    twice: 400,
    none: 400,
    count: (db) => [
      db`update music_special_counts n set collect_count = n.collect_count + c.by from changed c where n.special_id = c.id`,
    ],
  })
  mountComments(server, ctx, specialContent, {
    path: '/music/specials/:special/comments',
    shape: 'array',
    cursor: 'max_id',
    created: 200,
    mentions: false,
    count: (db) => [
      db`update music_special_counts n set comment_count = n.comment_count + c.by from changed c where n.special_id = c.id`,
    ],
    mayModerate: (context, _, viewer) => hasAbility(context, viewer, 'admin: music'),
  })
}

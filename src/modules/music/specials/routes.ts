import { hasAbility } from '#modules/abilities/index.ts'
import { listCollected, mountCollections } from '#modules/collections/index.ts'
import { mountComments } from '#modules/comments/index.ts'
import type { Context } from '#platform/context.ts'
import { Empty, routesOn, type Server, Type } from '#platform/http'
import {
  BoughtQuery,
  noSuchSpecial,
  Special,
  SpecialDetail,
  SpecialListQuery,
  SpecialParams,
  unpaidSpecial,
} from '../schema.ts'
import { listSpecialSongs } from '../songs/queries.ts'
import { playsOf, songViews } from '../songs/service.ts'
import {
  countSpecialShare,
  findSpecial,
  listBoughtSpecials,
  listSpecials,
  specialContent,
  specialViews,
} from './service.ts'

export function specialRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const route = routesOn(server, ctx, { tag: 'Music' })

  route('GET /music/specials', {
    operationId: 'listAlbums',
    summary: 'List albums, newest first, or some of them by id',
    access: 'optional',
    query: SpecialListQuery,
    reply: { 200: Type.Array(Special) },
    handler: async ({ query: { id: ids, max_id: before, limit = ids?.length || 15 }, viewer }) =>
      specialViews(ctx, await listSpecials(sql, { ids, before, limit, viewerId: viewer.id }), viewer.id),
  })

  route('GET /music/specials/:special', {
    operationId: 'getAlbum',
    summary: 'Read an album with its songs; a priced album requires payment',
    access: 'optional',
    params: SpecialParams,
    reply: { 200: SpecialDetail },
    errors: [noSuchSpecial, unpaidSpecial],
    handler: async ({ params, viewer }) => {
      const row = await findSpecial(sql, params.special, viewer.id)
      if (!row) throw noSuchSpecial()
      const [view] = (await specialViews(ctx, [row], viewer.id)) as [Special]
      if (view.paid_node && !view.paid_node.paid) throw unpaidSpecial(view.paid_node)
      const songs = await listSpecialSongs(sql, row.id, viewer.id)
      const pending = songs.reduce((sum, song) => sum + playsOf(ctx).pending(song.id), 0)
      return {
        ...view,
        taste_count: view.taste_count + pending,
        musics: await songViews(ctx, songs, viewer.id),
      }
    },
  })

  route('PATCH /music/specials/:special/share', {
    operationId: 'shareAlbum',
    summary: 'Count a share of an album',
    access: 'user',
    params: SpecialParams,
    reply: { 204: Empty },
    errors: [noSuchSpecial],
    handler: async ({ params }) => {
      if (!(await countSpecialShare(sql, params.special))) throw noSuchSpecial()
    },
  })

  route('GET /music/collections', {
    operationId: 'listCollectedAlbums',
    summary: 'List the albums I collected',
    access: 'user',
    query: BoughtQuery(15),
    reply: { 200: Type.Array(Special) },
    handler: async ({ query: { limit = 15, max_id: after = 0 }, viewer: { id: userId } }) => {
      const page = { type: specialContent.type, userId, limit, order: 'content', after } as const
      const ids = (await listCollected(sql, page)).map((row) => row.collectible_id)
      const rows = ids.length > 0 ? await listSpecials(sql, { ids, limit, viewerId: userId }) : []
      return specialViews(ctx, rows, userId)
    },
  })

  route('GET /music-specials/paids', {
    operationId: 'listBoughtAlbums',
    summary: 'List the albums I bought, newest album first',
    access: 'user',
    query: BoughtQuery(15),
    reply: { 200: Type.Array(Special) },
    handler: async ({ query: { limit = 15, max_id: before = 0 }, viewer }) =>
      specialViews(ctx, await listBoughtSpecials(sql, viewer.id, before, limit), viewer.id),
  })

  mountCollections(server, ctx, specialContent, {
    create: '/music/specials/:special/collection',
    remove: '/music/specials/:special/collection',
    twice: 400,
    none: 400,
    count: (db) => [
      db`update music_special_counts n set collect_count = greatest(n.collect_count + c.by, 0) from changed c where n.special_id = c.id`,
    ],
  })
  mountComments(server, ctx, specialContent, {
    path: '/music/specials/:special/comments',
    shape: 'array',
    cursor: 'max_id',
    created: 200,
    mentions: false,
    count: (db) => [
      db`update music_special_counts n set comment_count = greatest(n.comment_count + c.by, 0) from changed c where n.special_id = c.id`,
    ],
    mayModerate: (context, _, viewer) => hasAbility(context, viewer, 'admin: music'),
  })
}

import { hasAbility } from '#modules/abilities/index.ts'
import { mountComments } from '#modules/comments/index.ts'
import { mountLikes } from '#modules/likes/index.ts'
import type { Context } from '#platform/context.ts'
import { Empty, routesOn, type Server, Type } from '#platform/http'
import { countView } from '#platform/memory'
import { BoughtQuery, noSuchSong, Song, SongItem, SongListQuery, SongParams } from '../schema.ts'
import { countShare, findSong, listBoughtSongs, listSongs } from './queries.ts'
import { countPlay, playsOf, songContent, songItem, songViews } from './service.ts'

export function songRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const route = routesOn(server, ctx, { tag: 'Music' })

  route('GET /music/songs', {
    operationId: 'listSongs',
    summary: 'List songs, newest first, or some of them by id',
    access: 'optional',
    query: SongListQuery,
    reply: { 200: Type.Array(SongItem) },
    handler: async ({ query: { q, id: ids, after, limit = ids?.length || 15 }, viewer }) => {
      const rows = await listSongs(sql, { q, ids, after, limit, viewerId: viewer.id })
      const plays = playsOf(ctx)
      return rows.map((row) => songItem(row, plays.pending(row.id)))
    },
  })

  route('GET /music/paids', {
    operationId: 'listBoughtSongs',
    summary: 'List the songs I bought, newest song first',
    access: 'user',
    query: BoughtQuery(20),
    reply: { 200: Type.Array(Song) },
    handler: async ({ query: { limit = 20, max_id: before = 0 }, viewer }) =>
      songViews(ctx, await listBoughtSongs(sql, viewer.id, before, limit), viewer.id),
  })

  // Returns 201, although the request creates nothing, because clients expect this status (music-2).
  route('GET /music/:music', {
    operationId: 'getSong',
    summary: 'Read a song and count a play',
    access: 'optional',
    params: SongParams,
    reply: { 201: Song },
    errors: [noSuchSong],
    handler: async ({ params, viewer }) => {
      const row = await findSong(sql, params.music, viewer.id)
      if (!row) throw noSuchSong()
      countView(() => countPlay(ctx, row.id))
      const [view] = await songViews(ctx, [row], viewer.id)
      return view!
    },
  })

  route('PATCH /music/:music/share', {
    operationId: 'shareSong',
    summary: 'Count a share of a song',
    access: 'user',
    params: SongParams,
    reply: { 204: Empty },
    errors: [noSuchSong],
    handler: async ({ params }) => {
      if (!(await countShare(sql, params.music))) throw noSuchSong()
    },
  })

  mountLikes(server, ctx, songContent, {
    create: '/music/:music/like',
    remove: '/music/:music/like',
    twice: 422,
    none: 400,
  })
  mountComments(server, ctx, songContent, {
    path: '/music/:music/comments',
    shape: 'array',
    cursor: 'max_id',
    count: (db) => [
      db`update music_song_counts n set comment_count = greatest(n.comment_count + c.by, 0) from changed c where n.song_id = c.id`,
    ],
    mayModerate: (context, _, viewer) => hasAbility(context, viewer, 'admin: music'),
  })
}

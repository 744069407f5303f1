import { hasAbility } from '#modules/abilities/index.ts'
import { mountComments } from '#modules/comments/index.ts'
import { mountLikes } from '#modules/likes/index.ts'
import type { Context } from '#platform/context.ts'
import { type Server, viewerId, viewerOf } from '#platform/http.ts'
import { Empty, Type } from '#platform/schema.ts'
import { noSuchSong } from '../errors.ts'
import { BoughtQuery, Song, SongItem, SongListQuery, SongParams } from '../schema.ts'
import { countPlay, playsOf } from './plays.ts'
import { countShare, findSong, listBoughtSongs, listSongs } from './queries.ts'
import { songContent, songViews } from './service.ts'
import { songItem } from './view.ts'

const tags = ['Music']

/** Songs: lists, one by itself, sharing, likes and comments. */
export function songRoutes(server: Server, ctx: Context) {
  const { sql } = ctx

  server.get(
    '/music/songs',
    {
      config: { access: 'optional' },
      schema: {
        tags,
        summary: 'List songs, newest first, or some of them by id',
        querystring: SongListQuery,
        response: { 200: Type.Array(SongItem) },
      },
    },
    async (request) => {
      const { id: ids, after, limit = ids?.length || 15 } = request.query
      const rows = await listSongs(sql, { ids, after, limit, viewerId: viewerId(request) })
      const plays = playsOf(ctx)
      return rows.map((row) => songItem(row, plays.pending(row.id)))
    },
  )

  server.get(
    '/music/paids',
    {
      config: { access: 'user' },
      schema: {
        tags,
        summary: 'List the songs I bought, the newest song first',
        querystring: BoughtQuery(20),
        response: { 200: Type.Array(Song) },
      },
    },
    async (request) => {
      const { id: viewer } = viewerOf(request)
      const { limit = 20, max_id: before = 0 } = request.query
      return songViews(ctx, await listBoughtSongs(sql, viewer, before, limit), viewer)
    },
  )

  server.get(
    '/music/:music',
    {
      config: { access: 'optional' },
      schema: {
        tags,
        summary: 'Read a song, which counts a play',
        params: SongParams,
        response: { 201: Song },
      },
    },
    async (request, reply) => {
      const viewer = viewerId(request)
      const row = await findSong(sql, request.params.music, viewer)
      if (!row) throw noSuchSong()
      countPlay(ctx, viewer > 0 ? String(viewer) : request.ip, row.id)
      const [view] = await songViews(ctx, [row], viewer)
      return reply.code(201).send(view as Song)
    },
  )

  server.patch(
    '/music/:music/share',
    {
      config: { access: 'user' },
      schema: { tags, summary: 'Count a share of a song', params: SongParams, response: { 204: Empty } },
    },
    async (request, reply) => {
      if (!(await countShare(sql, request.params.music))) throw noSuchSong()
      return reply.code(204).send()
    },
  )

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
      db`update music_song_counts n set comment_count = n.comment_count + c.by from changed c where n.song_id = c.id`,
    ],
    mayModerate: (context, _, viewer) => hasAbility(context, viewer, 'admin: music'),
  })
}

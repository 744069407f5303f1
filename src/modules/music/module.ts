import type { ContentKind } from '#contracts/content.ts'
import type { Searchable } from '#contracts/search.ts'
import { creationSeries, type Statistics } from '#contracts/statistics.ts'
import type { Context } from '#platform/context.ts'
import type { TaskList } from '#platform/jobs'
import type { Module } from '../../module.ts'
import { adminMusicRoutes } from './admin/routes.ts'
import { musicCounters } from './index.ts'
import { SongItem } from './schema.ts'
import { songReader, specialReader } from './service.ts'
import { listSongs } from './songs/queries.ts'
import { songRoutes } from './songs/routes.ts'
import { measureSong, playsOf, songItem } from './songs/service.ts'
import { specialRoutes } from './specials/routes.ts'

export const musicTasks = (ctx: Context): TaskList => ({
  measure_song: (payload) => measureSong(ctx, payload as { song: number; sound: number }),
})

export const musicStatistics: Statistics = {
  series: [creationSeries('songs', 'music_songs', 'admin: music')],
}

export const songSearch: Searchable = {
  type: 'musics',
  item: SongItem,
  async find(ctx, { q, after, limit, viewerId }) {
    const plays = playsOf(ctx)
    const rows = await listSongs(ctx.sql, { q, after, limit, viewerId })
    return rows.map((row) => songItem(row, plays.pending(row.id)))
  },
}

export const MUSIC_KINDS: ContentKind[] = [
  {
    type: 'musics',
    code: 5,
    reader: songReader,
    live: (sql) => sql`select id from music_songs where deleted_at is null`,
    counters: musicCounters,
    files: { 'music:storage': 'admin: music' },
  },
  {
    type: 'music_specials',
    code: 6,
    reader: specialReader,
    live: (sql) => sql`select id from music_specials where deleted_at is null`,
    files: { 'music:special:storage': 'admin: music' },
  },
]

export const module: Module = {
  routes: () => [songRoutes, specialRoutes, adminMusicRoutes],
  statistics: { place: 8, ...musicStatistics },
  search: { place: 7, ...songSearch },
  kinds: MUSIC_KINDS,
  tasks: () => [musicTasks],
}

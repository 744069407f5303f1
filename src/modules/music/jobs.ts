import type { Context } from '#platform/context.ts'
import type { TaskList } from '#platform/jobs.ts'
import { measureSong } from './songs/sound.ts'

/** Jobs of music. */
export const musicTasks = (ctx: Context): TaskList => ({
  measure_song: (payload) => measureSong(ctx, payload as { song: number; sound: number }),
})

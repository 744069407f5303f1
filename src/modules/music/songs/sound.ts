import { buffer } from 'node:stream/consumers'
import { readUpload } from '#modules/files/index.ts'
import type { Context } from '#platform/context.ts'
import { secondsOf } from '#platform/media/sound.ts'
import { setLastTime } from './queries.ts'

/** Fills in how long a song lasts, where nobody said it and its sound is still this one (music-15). */
export async function measureSong(
  ctx: Context,
  { song, sound }: { song: number; sound: number },
): Promise<void> {
  const stored = await readUpload(ctx, sound)
  if (!stored) return
  const seconds = await secondsOf(await buffer(stored.stream), stored.mime)
  if (seconds !== undefined)
    await setLastTime(ctx.sql, { song, sound, seconds: Math.max(1, Math.round(seconds)) })
}

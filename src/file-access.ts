import { type Ability, hasAbility } from '#modules/abilities/index.ts'
import { CERTIFICATION_FILE, mayReadPapers } from '#modules/certifications/index.ts'
import { postReader } from '#modules/groups/index.ts'
import { newsReader } from '#modules/news/index.ts'
import type { Reader } from '#platform/content.ts'
import type { Context } from '#platform/context.ts'

/** What has files that not everybody may see, and who sees them besides: ids of files can be guessed. */
const HOLDERS: Record<string, { reader: Reader; ability: Ability }> = {
  'group:post': { reader: postReader, ability: 'admin: groups' },
  'news:image': { reader: newsReader, ability: 'admin: news' },
  'news:content': { reader: newsReader, ability: 'admin: news' },
}

/** Files that say who somebody is on paper. */
export const CONFIDENTIAL: ReadonlySet<string> = new Set([CERTIFICATION_FILE])

/** Whether a file belongs to something that this viewer may not see. */
export async function hidesFile(
  ctx: Context,
  { owner_id: owner, channel, raw }: { owner_id: number; channel: string | null; raw: number | null },
  viewerId: number,
): Promise<boolean> {
  // Not for who uploaded them either: that may have been an administrator, who is one no longer.
  if (channel === CERTIFICATION_FILE) return !(await mayReadPapers(ctx, { raw }, viewerId))
  const holder = channel === null ? undefined : HOLDERS[channel]
  if (!holder || raw === null || owner === viewerId) return false
  if ((await holder.reader.visible(ctx.sql, [raw], viewerId)).has(raw)) return false
  return viewerId === 0 || !(await hasAbility(ctx, viewerId, holder.ability))
}

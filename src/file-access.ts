import { type Ability, hasAbility } from '#modules/abilities/index.ts'
import { CERTIFICATION_FILE, mayReadPapers } from '#modules/certifications/index.ts'
import type { Context } from '#platform/context.ts'
import { CONTENT_KINDS } from './content-kinds.ts'

/** What has files that not everybody may see, and who sees them besides: ids of files can be guessed. */
const HOLDERS = new Map(
  CONTENT_KINDS.flatMap(({ reader, files = {} }) =>
    Object.entries(files).map(([use, ability]) => [use, { reader, ability: ability as Ability }]),
  ),
)

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
  const holder = channel === null ? undefined : HOLDERS.get(channel)
  if (!holder || raw === null || owner === viewerId) return false
  if ((await holder.reader.visible(ctx.sql, [raw], viewerId)).has(raw)) return false
  return viewerId === 0 || !(await hasAbility(ctx, viewerId, holder.ability))
}

import { type Ability, hasAbility } from '#modules/abilities/index.ts'
import { CERTIFICATION_FILE, mayReadPapers } from '#modules/certifications/index.ts'
import type { Context } from '#platform/context.ts'
import { CONTENT_KINDS } from './content-kinds.ts'

/** What shows files of a use, and who sees them besides: ids of files can be guessed. */
const HOLDERS = new Map(
  CONTENT_KINDS.flatMap(({ reader, files = {} }) =>
    Object.entries(files).map(([use, ability]) => [use, { reader, ability: ability as Ability }]),
  ),
)

/** Files that say who somebody is on paper. */
export const CONFIDENTIAL: ReadonlySet<string> = new Set([CERTIFICATION_FILE])

/** Whose file it is, and what it is attached to. */
type Use = { owner_id: number; channel: string | null; raw: number | null }

/** Whether nothing that shows a file is for this viewer to read (files-15). */
export async function hidesFile(
  ctx: Context,
  { owner_id: owner, channel, raw }: Use,
  viewerId: number,
): Promise<boolean> {
  if (channel === null) return owner !== viewerId
  // Not for who uploaded them either: that may have been an administrator, who is one no longer.
  if (channel === CERTIFICATION_FILE) return !(await mayReadPapers(ctx, { raw }, viewerId))
  const holder = HOLDERS.get(channel)
  if (!holder || raw === null) return false
  const { reader, ability } = holder
  const shown = await (reader.readable ?? reader.visible)(ctx.sql, [raw], viewerId)
  if (shown.has(raw)) return false
  return viewerId === 0 || !(await hasAbility(ctx, viewerId, ability))
}

/**
 * Whether what shows a file is gone, for whoever has an address of the bytes. What not everybody may see takes its files along
 * when it is deleted; what everybody sees is asked for each time.
 */
export async function isFileGone(ctx: Context, { channel, raw }: Use): Promise<boolean> {
  const reader = HOLDERS.get(channel ?? '')?.reader
  if (!reader?.open || raw === null) return false
  return !(await reader.visible(ctx.sql, [raw], 0)).has(raw)
}

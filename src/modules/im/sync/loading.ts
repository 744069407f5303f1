import type { Context } from '#platform/context.ts'
import { transaction } from '#platform/database'
import { imProvider } from '../providers/choose.ts'
import { ImError, type ImProvider, type ProviderGroup } from '../providers/provider.ts'
import { failLoad, listUnloadedGroups, saveLoadedGroup } from './queries.ts'

const MISSING = 'the provider does not have this group: check that the application is that of the old site'

/** Asks for groups one by one if the provider rejects an id of an old site, which would hide the others. */
async function findGroups(provider: ImProvider, ids: string[]): Promise<Map<string, ProviderGroup | null>> {
  try {
    return await provider.getGroups(ids)
  } catch (error) {
    if (!(error instanceof ImError) || !['invalid', 'not_found'].includes(error.fault)) throw error
    if (ids.length === 1) return new Map()
    const found = new Map<string, ProviderGroup | null>()
    for (const id of ids) for (const each of await findGroups(provider, [id])) found.set(...each)
    return found
  }
}

/**
 * Loads names, settings and members of imported groups from the provider, because a sync of what the import knows would
 * remove them there. Changes nothing at the provider. Returns the groups that it does not have.
 */
export async function loadGroups(ctx: Context): Promise<{ loaded: number; missing: number[] }> {
  const provider = imProvider(ctx)
  const missing: number[] = []
  let loaded = 0
  for (let last = 0; ; ) {
    const rows = await listUnloadedGroups(ctx.sql, last, provider.name, provider.capabilities.groupsAtOnce)
    const end = rows.at(-1)
    if (!end) return { loaded, missing }
    last = end.id
    const there = await findGroups(
      provider,
      rows.map(({ provider_id }) => provider_id),
    )
    for (const { id, provider_id } of rows) {
      const group = there.get(provider_id)
      if (!group) {
        missing.push(id)
        await failLoad(ctx.sql, id, MISSING)
        continue
      }
      const members = await provider.listMembers(provider_id)
      await transaction(ctx.sql, (tx) => saveLoadedGroup(tx, id, { settings: group.settings, ...members }))
      loaded += 1
    }
  }
}

import { compileNetworks, type Networks, networkOf } from '#lib/networks.ts'
import { type Actor, recordAudit } from '#modules/audit/index.ts'
import { defineCache } from '#platform/cache.ts'
import type { Context } from '#platform/context.ts'
import { transaction } from '#platform/database.ts'
import { type ApiError, notFound } from '#platform/errors.ts'
import type { AddressBlockInput } from './admin/schema.ts'
import { blockedAlready, blockedUntil, blocksYourself, noSuchNetwork, tooManyBlocks } from './errors.ts'
import { countBlocks, deleteBlock, deleteOldBlocks, insertBlock, listBlocks } from './queries.ts'

/** All of them are in the memory of every process. */
const BLOCKS_MAX = 10_000
const BATCH = 1000

type Block = { id: number; endsAt: string | null; until: number }

const cacheOf = defineCache<Networks<Block>>('address-blocks', { max: 1, ttlMs: 60_000 })

const networks = (ctx: Context) =>
  cacheOf(ctx).get('all', async () => {
    const now = Date.now()
    const rows = await listBlocks(ctx.sql)
    return compileNetworks(
      rows.map(({ id, network, ends_at: endsAt, left_ms: left }) => ({
        network,
        value: { id, endsAt, until: left === null ? Number.POSITIVE_INFINITY : now + left },
      })),
    )
  })

/** Why nothing is taken from an address now, if so (administration-19). In memory: a refusal costs the database nothing. */
export function findAddressBlock(
  ctx: Context,
  address: string,
  now = Date.now(),
): ApiError | undefined | Promise<ApiError | undefined> {
  const judge = (known: Networks<Block>) => {
    const inForce = known.find(address).filter(({ until }) => until > now)
    const longest = inForce.sort((one, two) => two.until - one.until)[0]
    return longest && blockedUntil(longest.endsAt)
  }
  const known = networks(ctx)
  return known instanceof Promise ? known.then(judge) : judge(known)
}

/** Blocks a network. Whoever would block the address that they come from has to say that they mean it. */
export async function blockAddress(
  ctx: Context,
  actor: Actor & { request: { ip: string } },
  { network: text, reason, hours, own_address: own = false }: AddressBlockInput,
): Promise<number> {
  const network = networkOf(text)
  if (network === undefined) throw noSuchNetwork()
  const isOwn = compileNetworks([{ network, value: true }]).find(actor.request.ip).length > 0
  if (isOwn && !own) throw blocksYourself()
  const id = await transaction(ctx.sql, async (tx) => {
    if ((await countBlocks(tx)) >= BLOCKS_MAX) throw tooManyBlocks()
    const by = actor.viewer.id
    const made = await insertBlock(tx, { network, reason, hours: hours ?? null, by })
    if (made === undefined) throw blockedAlready()
    await recordAudit(tx, actor, {
      action: 'address-blocks.create',
      subjectType: 'address-blocks',
      subjectId: made,
      after: { network, reason, hours: hours ?? null },
    })
    await cacheOf(ctx).announce(tx, 'all')
    return made
  })
  cacheOf(ctx).drop('all')
  return id
}

/** Removes a block. */
export async function unblockAddress(ctx: Context, actor: Actor, id: number): Promise<void> {
  await transaction(ctx.sql, async (tx) => {
    const gone = await deleteBlock(tx, id)
    if (!gone) throw notFound()
    await recordAudit(tx, actor, {
      action: 'address-blocks.delete',
      subjectType: 'address-blocks',
      subjectId: id,
      before: { network: gone.network, reason: gone.reason, ends_at: gone.ends_at },
    })
    await cacheOf(ctx).announce(tx, 'all')
  })
  cacheOf(ctx).drop('all')
}

/** Removes every block that holds an address, for whoever locked themselves out; answers the networks. */
export async function freeAddress(ctx: Context, address: string): Promise<string[]> {
  const rows = await listBlocks(ctx.sql)
  const entries = rows.map(({ id, network }) => ({ network, value: { id, network } }))
  const found = compileNetworks(entries).find(address)
  await transaction(ctx.sql, async (tx) => {
    for (const { id } of found) await deleteBlock(tx, id)
    await cacheOf(ctx).announce(tx, 'all')
  })
  return found.map(({ network }) => network)
}

/** Forgets blocks that were over long ago. */
export async function tidyAddressBlocks({ sql }: Context): Promise<void> {
  while ((await deleteOldBlocks(sql, BATCH)) === BATCH);
}

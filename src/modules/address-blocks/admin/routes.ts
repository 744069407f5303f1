import { wireTime, wireTimeOrNull } from '#lib/time.ts'
import type { Context } from '#platform/context.ts'
import { routesOn } from '#platform/http/route.ts'
import type { Server } from '#platform/http.ts'
import { Listing } from '#platform/listing.ts'
import { Created, Empty } from '#platform/schema.ts'
import { blockedAlready, blocksYourself, noSuchNetwork, tooManyBlocks } from '../errors.ts'
import { listAddressBlocks } from '../queries.ts'
import { blockAddress, unblockAddress } from '../service.ts'
import { AddressBlock, AddressBlockInput, AddressBlockParams, AddressBlockQuery } from './schema.ts'

/** Addresses and networks from which nothing is taken (administration-19). */
export function adminAddressBlockRoutes(server: Server, ctx: Context) {
  const route = routesOn(server, ctx, { tag: 'Admin: moderation' })
  const access = { ability: 'admin: address blocks' }

  route('GET /admin/address-blocks', {
    operationId: 'adminListAddressBlocks',
    summary: 'List blocked addresses and networks',
    access,
    query: AddressBlockQuery,
    reply: { 200: Listing(AddressBlock) },
    handler: async ({ query }) => {
      const { data, total } = await listAddressBlocks(ctx.sql, query)
      return {
        data: data.map((row) => ({
          ...row,
          ends_at: wireTimeOrNull(row.ends_at),
          created_at: wireTime(row.created_at),
        })),
        total,
      }
    },
  })

  route('POST /admin/address-blocks', {
    operationId: 'adminBlockAddress',
    summary: 'Block an address or a network',
    description:
      'From there nobody signs in, registers or changes anything. One that holds the address of the caller needs `own_address`.',
    access,
    body: AddressBlockInput,
    reply: { 201: Created },
    errors: [noSuchNetwork, blockedAlready, tooManyBlocks, blocksYourself],
    handler: async (call) => ({ id: await blockAddress(ctx, call, call.body) }),
  })

  route('DELETE /admin/address-blocks/:block', {
    operationId: 'adminUnblockAddress',
    summary: 'Remove a block',
    access,
    params: AddressBlockParams,
    reply: { 204: Empty },
    handler: (call) => unblockAddress(ctx, call, call.params.block),
  })
}

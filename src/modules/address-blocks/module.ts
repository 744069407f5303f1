import { wireTime, wireTimeOrNull } from '#lib/time.ts'
import type { Context } from '#platform/context.ts'
import { Created, Empty, Listing, routesOn, type Server } from '#platform/http'
import type { Schedule, TaskList } from '#platform/jobs'
import type { Module } from '../../module.ts'
import {
  AddressBlock,
  AddressBlockInput,
  AddressBlockParams,
  AddressBlockQuery,
  listAddressBlocks,
} from './queries.ts'
import {
  blockAddress,
  blockedAlready,
  blocksYourself,
  networkTooWide,
  noSuchNetwork,
  tidyAddressBlocks,
  tooManyBlocks,
  unblockAddress,
} from './service.ts'

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
      'Blocked addresses cannot sign in, register or change anything. A block that contains the address of the caller requires `own_address`.',
    access,
    body: AddressBlockInput,
    reply: { 201: Created },
    errors: [noSuchNetwork, networkTooWide, blockedAlready, tooManyBlocks, blocksYourself],
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

export const addressBlockTasks = (ctx: Context): TaskList => ({
  tidy_address_blocks: () => tidyAddressBlocks(ctx),
})

export const addressBlockSchedules: Schedule[] = [{ task: 'tidy_address_blocks', pattern: '23 3 * * *' }]

export const module: Module = {
  routes: () => [adminAddressBlockRoutes],
  tasks: () => [addressBlockTasks],
  schedules: addressBlockSchedules,
}

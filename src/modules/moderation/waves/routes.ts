import { mountAdminRecords } from '#modules/audit/index.ts'
import type { Context } from '#platform/context.ts'
import { Created, Empty, Listing, routesOn, type Server } from '#platform/http'
import { findWave, listWaves } from './queries.ts'
import {
  noCriteria,
  Wave,
  WaveDecision,
  WaveInput,
  WaveMember,
  WaveMemberQuery,
  WaveParams,
  WaveQuery,
  WaveUndo,
  waveDecided,
  waveEmpty,
  waveNotUndoable,
  waveTooLarge,
} from './schema.ts'
import {
  decideWave,
  getWave,
  listMembers,
  previewWave,
  type Removals,
  undoWave,
  waveViews,
} from './service.ts'

export const adminWaveRoutes = (removals: Removals) => (server: Server, ctx: Context) => {
  const route = routesOn(server, ctx, { tag: 'Admin: moderation' })
  const access = { ability: 'admin:user:delete' }
  const params = WaveParams
  const load = (call: { params: { wave: number } }) => getWave(ctx, call.params.wave)

  mountAdminRecords(server, ctx, {
    path: '/admin/account-waves',
    tag: 'Admin: moderation',
    ability: access.ability,
    subject: 'account-waves',
    entity: 'AccountWave',
    noun: 'a decision about many accounts',
    nouns: 'decisions about many accounts; `q` searches reasons',
    param: 'wave',
    item: Wave,
    query: WaveQuery,
    list: listWaves,
    find: findWave,
    view: (rows) => waveViews(ctx, rows),
  })

  route('POST /admin/account-waves', {
    operationId: 'adminPreviewAccountWave',
    summary: 'Choose accounts that match all of the given filters, without changing them',
    description:
      'The preview keeps the ids of these accounts for a day. A decision concerns no other account.',
    access,
    body: WaveInput,
    reply: { 201: Created },
    errors: [noCriteria, waveEmpty, waveTooLarge],
    handler: async (call) => ({ id: await previewWave(ctx, call, call.body) }),
  })

  route('GET /admin/account-waves/:wave/accounts', {
    operationId: 'adminListAccountWaveMembers',
    summary: 'List the accounts of a wave with their outcome and why they match',
    access,
    params,
    query: WaveMemberQuery,
    reply: { 200: Listing(WaveMember) },
    load,
    handler: ({ loaded, query, viewer }) => listMembers(ctx, loaded, query, viewer.id),
  })

  route('POST /admin/account-waves/:wave/decision', {
    operationId: 'adminDecideAccountWave',
    summary: 'Disable the accounts of a preview, or delete them with their content',
    description:
      'A job changes the accounts. A deletion disables them at once, and begins after the waiting time of deletions. It requires the abilities to remove content.',
    access,
    params,
    body: WaveDecision,
    reply: { 204: Empty },
    errors: [waveDecided],
    load,
    handler: (call) => decideWave(ctx, call, call.params.wave, call.body, removals),
  })

  route('POST /admin/account-waves/:wave/undo', {
    operationId: 'adminUndoAccountWave',
    summary: 'Enable the accounts that a wave disabled and no later decision concerns',
    access,
    params,
    body: WaveUndo,
    reply: { 204: Empty },
    errors: [waveNotUndoable],
    load,
    handler: (call) => undoWave(ctx, call, call.params.wave, call.body.reason),
  })
}

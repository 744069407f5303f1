import { type Ability, hasAbility, isForMembers } from '#modules/abilities/index.ts'
import { findSilence, lacksSecondFactor } from '#modules/accounts/index.ts'
import { findAddressBlock } from '#modules/address-blocks/index.ts'
import { uploadRoutes } from '#modules/files/uploads/routes.ts'
import { findUnpaidFile } from '#modules/purchases/index.ts'
import { noteActive } from '#modules/statistics/index.ts'
import { findViewer, recallViewer } from '#modules/tokens/index.ts'
import { addDocumentation } from '#platform/api-docs.ts'
import { addConsole } from '#platform/console/routes.ts'
import { requireKinds } from '#platform/content.ts'
import type { Context } from '#platform/context.ts'
import { secondFactorNeeded } from '#platform/errors.ts'
import { addHealth } from '#platform/health.ts'
import { createServer, inScope, type Server, type Viewer } from '#platform/http.ts'
import { addLanding } from '#platform/landing.ts'
import { CONTENT_KINDS } from './content-kinds.ts'
import { CONFIDENTIAL, hidesFile } from './file-access.ts'
import { BYTES_ROUTES, ROUTES } from './routes.ts'

/** Builds the HTTP server on a context, without listening. */
export async function buildApp(ctx: Context): Promise<Server> {
  const notice = (viewer: Viewer | null) => {
    noteActive(ctx, viewer)
    return viewer
  }
  const noticed = (found: ReturnType<typeof findViewer>) =>
    found instanceof Promise ? found.then(notice) : notice(found)
  const server = await createServer({
    ...ctx,
    identity: {
      findViewer: (token) => noticed(findViewer(ctx, token)),
      recallViewer: (token) => recallViewer(ctx, token),
      findAddressBlock: (address) => findAddressBlock(ctx, address),
      hasAbility: async (userId, ability) => {
        const holds = await hasAbility(ctx, userId, ability as Ability)
        if (holds && !isForMembers(ability) && (await lacksSecondFactor(ctx, userId)))
          throw secondFactorNeeded()
        return holds
      },
      findSilence: (userId) => findSilence(ctx, userId),
    },
  })
  await addDocumentation(server)
  addHealth(server, ctx)
  addLanding(server, ctx.config.console)
  addConsole(server, ctx.config)
  await inScope(
    server,
    (api) => {
      for (const routes of ROUTES) routes(api, ctx)
      uploadRoutes(api, ctx, {
        findUnpaid: (file, viewer) => findUnpaidFile(ctx.sql, file, viewer),
        isHidden: (file, viewer) => hidesFile(ctx, file, viewer),
        confidential: CONFIDENTIAL,
      })
    },
    { prefix: '/api/v2' },
  )
  for (const routes of BYTES_ROUTES) routes(server, ctx)
  requireKinds(ctx, CONTENT_KINDS)
  return server
}

import { requireMountedKinds } from '#contracts/content.ts'
import { type Ability, hasAbility, isMemberAbility } from '#modules/abilities/index.ts'
import { lacksSecondFactor } from '#modules/accounts/index.ts'
import { findAddressBlock } from '#modules/address-blocks/index.ts'
import { findSilence } from '#modules/sanctions/index.ts'
import { readSiteHead, readSiteName } from '#modules/settings/index.ts'
import { recordActivity } from '#modules/statistics/index.ts'
import { cachedViewer, findViewer } from '#modules/tokens/index.ts'
import type { Context } from '#platform/context.ts'
import { type Language, secondFactorNeeded } from '#platform/errors.ts'
import {
  addDocumentation,
  addHealth,
  createServer,
  encapsulate,
  type Server,
  type Viewer,
} from '#platform/http'
import { addConsole } from './pages/console.ts'
import { addLanding } from './pages/landing.ts'
import { OUTER_ROUTES, ROUTES, SITE } from './site.ts'

export async function buildApp(ctx: Context): Promise<Server> {
  const notice = (viewer: Viewer | null) => {
    recordActivity(ctx, viewer)
    return viewer
  }
  const noticed = (found: ReturnType<typeof findViewer>) =>
    found instanceof Promise ? found.then(notice) : notice(found)
  const server = await createServer({
    ...ctx,
    identity: {
      findViewer: (token) => noticed(findViewer(ctx, token)),
      recallViewer: (token) => cachedViewer(ctx, token),
      findAddressBlock: (address) => findAddressBlock(ctx, address),
      hasAbility: async (userId, ability) => {
        const holds = await hasAbility(ctx, userId, ability as Ability)
        if (holds && !isMemberAbility(ability) && (await lacksSecondFactor(ctx, userId)))
          throw secondFactorNeeded()
        return holds
      },
      findSilence: (userId) => findSilence(ctx, userId),
    },
  })
  // These pages open during an outage of the database too.
  const nameOf = (language?: Language) => readSiteName(ctx, language).catch(() => ctx.config.siteName)
  await addDocumentation(server, nameOf, SITE.tags)
  addHealth(server, ctx)
  addLanding(server, ctx)
  addConsole(server, ctx.config, (language) =>
    readSiteHead(ctx, language).catch(() => ({ name: ctx.config.siteName })),
  )
  await encapsulate(
    server,
    (api) => {
      for (const routes of ROUTES) routes(api, ctx)
    },
    { prefix: '/api/v2' },
  )
  for (const routes of OUTER_ROUTES) routes(server, ctx)
  requireMountedKinds(ctx, SITE.kinds)
  return server
}

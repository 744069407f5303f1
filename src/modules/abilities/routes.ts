import type { Context } from '#platform/context.ts'
import { type Server, viewerOf } from '#platform/http.ts'
import { Type } from '#platform/schema.ts'
import { listAbilitiesOf } from './queries.ts'
import { AbilityView } from './schema.ts'

export function abilityRoutes(server: Server, { sql }: Context) {
  server.get(
    '/user/abilities',
    {
      config: { access: 'user' },
      schema: { tags: ['Accounts'], response: { 200: Type.Array(AbilityView) } },
    },
    (request) => listAbilitiesOf(sql, viewerOf(request).id),
  )
}

import { mountAdminPins } from '#modules/pinning/index.ts'
import type { Context } from '#platform/context.ts'
import { fieldError } from '#platform/errors.ts'
import type { Server } from '#platform/http.ts'
import { Nullable, Type } from '#platform/schema.ts'
import { feedPins } from '../../pins/service.ts'

const unknownFeed = fieldError('feed', 'no_such_feed', 'There is no such feed.', '动态不存在或已被删除。')

/** Pins of feeds: decided, set for nothing, and ended (pins-9). */
export function adminFeedPinRoutes(server: Server, ctx: Context): void {
  mountAdminPins(server, ctx, {
    param: 'feed',
    plural: 'feeds',
    tag: 'Admin: moderation',
    ability: 'admin: feed pinneds',
    pins: feedPins,
    rows: {
      columns: (sql) => sql`p.target_id as feed_id, t.feed_content`,
      table: (sql) => sql`feeds t`,
      text: (sql) => sql`t.feed_content`,
    },
    shown: { feed_id: Type.Integer(), feed_content: Nullable(Type.String()) },
    missing: unknownFeed,
  })
}

import { mountAdminPins } from '#modules/pinning/index.ts'
import type { Context } from '#platform/context.ts'
import { fieldError } from '#platform/errors.ts'
import type { Server } from '#platform/http.ts'
import { Nullable, Type } from '#platform/schema.ts'
import { newsPins } from '../../pins/service.ts'

const unknownNews = fieldError('news', 'no_such_news', 'There is no such article.', '资讯不存在。')

/** Pins of articles: decided, set for nothing, and ended (pins-9). */
export function adminNewsPinRoutes(server: Server, ctx: Context): void {
  mountAdminPins(server, ctx, {
    param: 'news',
    plural: 'articles',
    tag: 'Admin: moderation',
    ability: 'admin: news',
    pins: newsPins,
    rows: {
      columns: (sql) => sql`p.target_id as news_id, t.title`,
      table: (sql) => sql`news t`,
      text: (sql) => sql`t.title`,
    },
    shown: { news_id: Type.Integer(), title: Nullable(Type.String()) },
    missing: unknownNews,
  })
}

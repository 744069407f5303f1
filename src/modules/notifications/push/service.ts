import { cutCharacters } from '#lib/text.ts'
import { webLinks } from '#modules/settings/index.ts'
import { findRevoked } from '#modules/tokens/index.ts'
import type { Context } from '#platform/context.ts'
import type { Language } from '#platform/errors.ts'
import type { PushMessage } from '#platform/push.ts'
import { findNotifications } from '../queries.ts'
import type { Notification, NotificationType } from '../schema.ts'
import { notificationView } from '../view.ts'
import { deleteTokens, findDevices } from './queries.ts'

const SENTENCES: Record<Exclude<NotificationType, 'system'>, (name: string) => Record<Language, string>> = {
  at: (name) => ({ en: `${name} mentioned you`, zh: `${name} 提到了你` }),
  comment: (name) => ({ en: `${name} wrote to you`, zh: `${name} 评论了你` }),
  like: (name) => ({ en: `${name} likes what you wrote`, zh: `${name} 赞了你` }),
  follow: (name) => ({ en: `${name} follows you`, zh: `${name} 关注了你` }),
}

function messageOf(type: NotificationType, { data }: Notification, language: Language) {
  const title = type === 'system' ? data.sender.name : SENTENCES[type](data.sender.name)[language]
  return { title, text: cutCharacters(data.contents, 200) }
}

/** Tells the devices of people of what was written for them; those signed out or gone are forgotten. */
export async function pushNotifications(ctx: Context, places: [number, number][]): Promise<void> {
  const rows = await findNotifications(ctx.sql, places)
  if (rows.length === 0) return
  const devices = await findDevices(ctx.sql, [...new Set(rows.map((row) => row.user_id))])
  const revoked = await findRevoked(
    ctx.sql,
    devices.map(({ user_id, family }) => ({ id: user_id, family })),
  )
  const [gone, live] = [
    devices.filter(({ family }) => revoked.has(family)),
    devices.filter(({ family }) => !revoked.has(family)),
  ]
  const linkTo = await webLinks(ctx)
  const messages: PushMessage[] = live.flatMap(({ user_id, token, platform, language }) =>
    rows
      .filter((row) => row.user_id === user_id)
      .map((row) => {
        const shown = notificationView(row, language, { linkTo })
        const link = shown.link === null ? {} : { link: shown.link }
        const data = { id: row.id, type: row.type, ...link }
        return { token, platform, ...messageOf(row.type, shown, language), data }
      }),
  )
  const unknown = messages.length > 0 ? (await ctx.push.send(messages)).gone : []
  await deleteTokens(ctx.sql, [...gone.map(({ token }) => token), ...unknown])
}

import { ACCOUNT_SETTINGS } from '#modules/accounts/settings.ts'
import { AREA_SETTINGS } from '#modules/areas/settings.ts'
import { BOOTSTRAP_SETTINGS } from '#modules/bootstrap/settings.ts'
import { CHECKIN_SETTINGS } from '#modules/checkins/settings.ts'
import { DIGEST_SETTINGS } from '#modules/digests/settings.ts'
import { FEED_SETTINGS } from '#modules/feeds/settings.ts'
import { GROUP_SETTINGS } from '#modules/groups/settings.ts'
import { CHAT_SETTINGS } from '#modules/im/settings.ts'
import { LEDGER_SETTINGS } from '#modules/ledger/settings.ts'
import { NEWS_SETTINGS } from '#modules/news/settings.ts'
import { NOTIFICATION_SETTINGS } from '#modules/notifications/settings.ts'
import { QUESTION_SETTINGS } from '#modules/questions/settings.ts'
import { REWARD_SETTINGS } from '#modules/rewards/settings.ts'
import {
  type SettingsOf,
  SITE_SETTINGS,
  settingsReader,
  updateSettings as update,
} from '#modules/settings/index.ts'
import { TEXT_MESSAGE_SETTINGS } from '#modules/text-messages/settings.ts'
import { TOPIC_SETTINGS } from '#modules/topics/settings.ts'
import type { Context } from '#platform/context.ts'
import type { Db } from '#platform/database'

/** Settings of all modules, with their types. */
export const SETTINGS = {
  ...SITE_SETTINGS,
  ...ACCOUNT_SETTINGS,
  ...AREA_SETTINGS,
  ...CHAT_SETTINGS,
  ...CHECKIN_SETTINGS,
  ...DIGEST_SETTINGS,
  ...FEED_SETTINGS,
  ...GROUP_SETTINGS,
  ...BOOTSTRAP_SETTINGS,
  ...LEDGER_SETTINGS,
  ...NEWS_SETTINGS,
  ...NOTIFICATION_SETTINGS,
  ...QUESTION_SETTINGS,
  ...REWARD_SETTINGS,
  ...TEXT_MESSAGE_SETTINGS,
  ...TOPIC_SETTINGS,
}

export type Settings = SettingsOf<typeof SETTINGS>
export type SettingName = keyof Settings

export const readSettings = settingsReader(SETTINGS)

export const updateSettings = (ctx: Context, sql: Db, changes: Partial<Settings>): Promise<void> =>
  update(ctx, sql, changes)

import { type SettingsOf, setting, settingsReader } from '#modules/settings/index.ts'
import { Flag } from '#platform/http'

export const DIGEST_SETTINGS = {
  'mail:weekly': setting(Flag(), true, {
    label: ['Weekly mail', '每周邮件'],
    help: [
      'Users may ask for a weekly mail about what they follow. Requires WEB=on, because the mail leads to pages.',
      '用户可以订阅关注内容的每周邮件。需要启用 WEB=on。',
    ],
  }),
}

export const readDigestSettings = settingsReader(DIGEST_SETTINGS)

export type DigestSettings = SettingsOf<typeof DIGEST_SETTINGS>

import { ANDROID } from './android.ts'
import type { Models } from './decode.ts'

/** Reply models of iOS 1.9.1 that differ from Android. Flags are numbers there and words in Android. */
export const IOS: Models = {
  ...ANDROID,
  Group: { ...ANDROID.Group, allow_feed: 'bool!', join_at: 'text' },
  Feed: { ...ANDROID.Feed, pinned: 'int', pinned_amount: 'int', excellent_at: 'text' },
  GroupReport: { ...ANDROID.GroupReport, resource: 'any' },
}

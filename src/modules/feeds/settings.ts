import { POINTS, setting, settingsReader } from '#modules/settings/index.ts'
import { Flag, Int, Type } from '#platform/http'

export const FEED_SETTINGS = {
  'feed:list-hot-days': setting(Int(1, 365), 7, {
    label: ['Maximum age of hot feeds (days)', '热门动态时间范围（天）'],
    help: ['Older feeds do not appear in the hot list.', '超出此天数的动态不进入热门列表。'],
  }),
  'feed:pay-word-limit': setting(Int(1, 10_000), 50, {
    label: ['Free characters of a paid feed', '付费动态免费字数'],
    help: ['All users can read this many characters without paying.', '用户无需付费即可阅读的字数。'],
  }),
  'feed:reward': setting(Flag(), true, {
    label: ['Rewards for feeds', '动态打赏'],
    help: ['Users can reward feeds with points.', '允许用户用积分打赏动态。'],
  }),
  'feed:paycontrol': setting(Flag(), true, {
    label: ['Paid feeds', '付费动态'],
    help: ['Users can charge points for the text or pictures of a feed.', '允许用户发布收费的文字和图片。'],
  }),
  'feed:items': setting(
    Type.Unsafe<number[]>({ type: 'array', items: Int(1, 1_000_000_000_000), maxItems: 20, ...POINTS }),
    [],
    {
      label: ['Suggested feed prices', '付费动态价格选项'],
      help: ['Clients offer these prices. Enter one per line.', '客户端提供的价格选项，每行一个。'],
    },
  ),
}

export const readFeedSettings = settingsReader(FEED_SETTINGS)

import { apiError } from '#platform/errors.ts'

export const noSuchSong = apiError(404, 'no_such_song', 'This song does not exist.', '歌曲不存在。')
export const noSuchSpecial = apiError(404, 'no_such_special', 'This album does not exist.', '专辑不存在。')
export const noSuchSinger = apiError(404, 'no_such_singer', 'This singer does not exist.', '歌手不存在。')
export const unpaidSpecial = apiError(
  403,
  'special_not_paid',
  'This album has to be paid for first.',
  '请先购买专辑。',
)

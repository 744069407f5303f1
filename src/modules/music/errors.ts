import { apiError, fieldError } from '#platform/errors.ts'

export const noSuchSong = apiError(404, 'no_such_song', 'This song does not exist.', '歌曲不存在。')
export const noSuchSpecial = apiError(404, 'no_such_special', 'This album does not exist.', '专辑不存在。')
export const noSuchSinger = apiError(404, 'no_such_singer', 'This singer does not exist.', '歌手不存在。')
export const unpaidSpecial = apiError(
  403,
  'special_not_paid',
  'This album has to be paid for first.',
  '请先购买专辑。',
)
export const unknownSinger = fieldError(
  'singer_id',
  'no_such_singer',
  'There is no such singer.',
  '歌手不存在。',
)
export const unknownSpecial = fieldError(
  'specials',
  'no_such_special',
  'There is no such album.',
  '专辑不存在。',
)
export const singerNameTaken = apiError(
  422,
  'singer_name_taken',
  'A singer of this name exists already.',
  '该名称的歌手已存在。',
)
export const singerHasSongs = apiError(
  422,
  'singer_has_songs',
  'A singer with songs cannot be deleted.',
  '该歌手仍有歌曲，不能删除。',
)

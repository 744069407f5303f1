import type { Area } from './area.ts'

/** Music: songs with their sound, albums and singers with their covers. */
export const MUSIC_AREAS: readonly Area[] = [
  {
    name: 'songs',
    path: 'music/songs',
    section: 'music',
    label: ['Songs', '歌曲'],
    noun: ['song', '歌曲'],
    icon: 'music',
    hasSearch: true,
    title: (row) => String(row.title),
    columns: [
      { name: 'title', label: ['Title', '标题'] },
      { name: 'singer', label: ['Singer', '歌手'] },
      { name: 'storage', label: ['Listen', '试听'], as: 'sound', wide: true },
      { name: 'taste_count', label: ['Plays', '播放'], as: 'number', wide: true },
      { name: 'amount', label: ['Price', '价格'], as: 'number', wide: true },
      { name: 'created_at', label: ['Made', '创建时间'], as: 'time', wide: true },
    ],
    filters: [
      { name: 'singer_id', label: ['Singer', '歌手'], as: 'area', of: 'singers', shows: 'name' },
      { name: 'special_id', label: ['Album', '专辑'], as: 'area', of: 'albums', shows: 'title' },
    ],
    fields: [
      { name: 'title', label: ['Title', '标题'], required: true },
      { name: 'singer_id', label: ['Singer', '歌手'], as: 'area', of: 'singers', shows: 'name', required: true },
      { name: 'storage', label: ['Sound', '音频'], as: 'sound' },
      { name: 'specials', label: ['Albums', '专辑'], as: 'areas', of: 'albums', shows: 'title' },
      { name: 'last_time', label: ['Seconds', '时长（秒）'], as: 'number' },
      { name: 'sort', label: ['Order', '排序'], as: 'number' },
      { name: 'amount', label: ['Price in points', '价格（积分）'], as: 'number' },
      {
        name: 'paid_type',
        label: ['Paid for', '付费方式'],
        as: 'choice',
        choices: [
          { id: 'listen', name: ['listening', '收听'] },
          { id: 'download', name: ['downloading', '下载'] },
        ],
      },
      { name: 'lyric', label: ['Words', '歌词'], as: 'long', full: true },
    ],
  },
  {
    name: 'albums',
    path: 'music/specials',
    section: 'music',
    label: ['Albums', '专辑'],
    noun: ['album', '专辑'],
    icon: 'album',
    hasSearch: true,
    title: (row) => String(row.title),
    columns: [
      { name: 'storage', label: ['Cover', '封面'], as: 'upload', wide: true },
      { name: 'title', label: ['Title', '标题'] },
      { name: 'songs_count', label: ['Songs', '歌曲数'], as: 'number' },
      { name: 'collect_count', label: ['Collected', '收藏'], as: 'number', wide: true },
      { name: 'amount', label: ['Price', '价格'], as: 'number', wide: true },
    ],
    fields: [
      { name: 'title', label: ['Title', '标题'], required: true },
      { name: 'intro', label: ['About', '简介'], as: 'long' },
      { name: 'storage', label: ['Cover', '封面'], as: 'picture' },
      { name: 'sort', label: ['Order', '排序'], as: 'number' },
      { name: 'amount', label: ['Price in points', '价格（积分）'], as: 'number' },
    ],
  },
  {
    name: 'singers',
    path: 'music/singers',
    section: 'music',
    label: ['Singers', '歌手'],
    noun: ['singer', '歌手'],
    icon: 'singer',
    hasSearch: true,
    title: (row) => String(row.name),
    columns: [
      { name: 'cover', label: ['Picture', '图片'], as: 'upload', wide: true },
      { name: 'name', label: ['Name', '姓名'] },
      { name: 'songs_count', label: ['Songs', '歌曲数'], as: 'number' },
    ],
    fields: [
      { name: 'name', label: ['Name', '姓名'], required: true },
      { name: 'cover', label: ['Picture', '图片'], as: 'picture' },
    ],
  },
]

import type { Schema } from '@kith/client'
import { Bookmark, Play } from 'lucide-preact'
import { Link } from 'wouter-preact'
import { read, useRead } from '../../app/api.ts'
import { definePage, type Visit } from '../../app/page.ts'
import { useSaid } from '../../app/said.ts'
import { useWords, words } from '../../app/words.ts'
import { Action, useToggle } from '../../ui/toggle.tsx'
import { Comments, commentsOf } from '../comments/comments.tsx'
import { play, type Track } from './player.ts'

const WORDS = words({
  play: [(title: string) => `Play ${title}`, (title: string) => `播放 ${title}`],
  collect: ['Save', '收藏'],
  none: ['No songs yet.', '还没有歌曲。'],
})

type Album = Schema<'SpecialWithSongs'>

const idOf = ({ params }: Visit) => Number(params.special)
const albumOf = (visit: Visit) =>
  read('/music/specials/{special}', { params: { path: { special: idOf(visit) } } })

export const tracksOf = (songs: Schema<'Song'>[]): Track[] =>
  songs.flatMap(({ id, title, singer, storage }) =>
    storage ? [{ id, title, singer: singer.name, file: storage.id }] : [],
  )

export const page = definePage({
  queries: (visit) => [albumOf(visit), commentsOf('albums', idOf(visit), visit.search)],
  head: (visit, known) => {
    const { title, intro, storage } = known.one(albumOf(visit))
    return {
      title,
      description: intro || title,
      canonical: visit.path,
      ...(storage ? { image: { url: `${visit.origin}/api/v2/files/${storage.id}?w=960`, alt: title } } : {}),
    }
  },
  body: ({ visit }) => {
    const t = useWords(WORDS)
    const said = useSaid()
    const { data: album } = useRead(albumOf(visit))
    const params = { path: { special: idOf(visit) } }
    const collect = useToggle(
      (each: object): each is Album => 'collect_count' in each && (each as Album).id === idOf(visit),
      {
        isOn: album?.has_collect ?? false,
        on: (api) => api.post('/music/specials/{special}/collection', { params }),
        off: (api) => api.delete('/music/specials/{special}/collection', { params }),
        apply: (each, isOn) => ({ ...each, has_collect: isOn }),
      },
    )
    if (!album) return null
    const tracks = tracksOf(album.musics)
    return (
      <>
        <header class="article">
          {album.storage && (
            <img
              class="album-cover"
              src={`/api/v2/files/${album.storage.id}?w=480`}
              alt=""
              width={240}
              height={240}
            />
          )}
          <div class="page-row">
            <h1 {...said(album.title)}>{album.title}</h1>
            <Action
              icon={Bookmark}
              kind="collect"
              label={t.collect}
              isOn={album.has_collect}
              onClick={collect}
            />
          </div>
          {album.intro && <p {...said(album.intro)}>{album.intro}</p>}
        </header>
        <ol class="rows is-padded">
          {album.musics.map(({ id, title, singer }) => {
            const at = tracks.findIndex((track) => track.id === id)
            return (
              <li key={id}>
                <button
                  type="button"
                  class="icon-button"
                  aria-label={t.play(title)}
                  disabled={at < 0}
                  onClick={() => play(tracks, at)}
                >
                  <Play size={20} aria-hidden />
                </button>
                <div>
                  <Link class="name" dir="auto" href={`/musics/${id}`}>
                    {title}
                  </Link>
                  <p class="quiet">{singer.name}</p>
                </div>
              </li>
            )
          })}
        </ol>
        {album.musics.length === 0 && <p class="quiet is-centred">{t.none}</p>}
        <Comments kind="albums" id={album.id} search={visit.search} path={visit.path} />
      </>
    )
  },
})

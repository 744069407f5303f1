import type { Schema } from '@kith/client'
import { Heart, Play } from 'lucide-preact'
import { Link } from 'wouter-preact'
import { read, useRead } from '../../app/api.ts'
import { definePage, type Visit } from '../../app/page.ts'
import { useSaid } from '../../app/said.ts'
import { useWords, words } from '../../app/words.ts'
import { Action, useToggle } from '../../ui/toggle.tsx'
import { Comments, commentsOf } from '../comments/comments.tsx'
import { tracksOf } from './album-page.tsx'
import { play } from './player.ts'

const WORDS = words({ play: ['Play', '播放'], like: ['Like', '点赞'] })

type Song = Schema<'Song'>

const idOf = ({ params }: Visit) => Number(params.music)
const songOf = (visit: Visit) => read('/music/{music}', { params: { path: { music: idOf(visit) } } })

export const page = definePage({
  queries: (visit) => [songOf(visit), commentsOf('musics', idOf(visit), visit.search)],
  head: (visit, known) => {
    const { title, singer } = known.one(songOf(visit))
    return { title: `${title} · ${singer.name}`, description: title, canonical: visit.path }
  },
  body: ({ visit }) => {
    const t = useWords(WORDS)
    const said = useSaid()
    const { data: song } = useRead(songOf(visit))
    const params = { path: { music: idOf(visit) } }
    const like = useToggle(
      (each: object): each is Song => 'music_specials' in each && (each as Song).id === idOf(visit),
      {
        isOn: song?.has_like ?? false,
        on: (api) => api.post('/music/{music}/like', { params }),
        off: (api) => api.delete('/music/{music}/like', { params }),
        apply: (each, isOn) => ({ ...each, has_like: isOn }),
      },
    )
    if (!song) return null
    const tracks = tracksOf([song])
    return (
      <>
        <article class="article">
          <h1 {...said(song.title)}>{song.title}</h1>
          <p class="quiet">
            {song.singer.name}
            {song.music_specials.map(({ id, title }) => (
              <span key={id}>
                {' · '}
                <Link dir="auto" href={`/music_specials/${id}`}>
                  {title}
                </Link>
              </span>
            ))}
          </p>
          <p class="pair">
            <button
              type="button"
              class="button"
              disabled={tracks.length === 0}
              onClick={() => play(tracks, 0)}
            >
              <Play size={18} aria-hidden /> {t.play}
            </button>
            <Action icon={Heart} kind="like" label={t.like} isOn={song.has_like} onClick={like} />
          </p>
          {song.lyric && (
            <p class="prose" {...said(song.lyric)}>
              {song.lyric}
            </p>
          )}
        </article>
        <Comments kind="musics" id={song.id} search={visit.search} path={visit.path} />
      </>
    )
  },
})

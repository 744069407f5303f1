import { Disc3 } from 'lucide-preact'
import { list, startOf, useList } from '../../app/api.ts'
import { definePage, type Visit } from '../../app/page.ts'
import { plural, useWords, words } from '../../app/words.ts'
import { More } from '../../ui/more.tsx'
import { Summary } from '../../ui/summary.tsx'

const WORDS = words({
  title: ['Music', '音乐'],
  description: ['Albums and songs on this site.', '本站的专辑与歌曲。'],
  empty: ['No albums yet', '还没有专辑'],
  price: [(points: number) => plural(points, 'point'), (points: number) => `${points} 积分`],
})

const albumsOf = ({ search }: Visit) => list('/music/specials', { params: { query: startOf(search) } })

export const page = definePage({
  queries: (visit) => [albumsOf(visit)],
  head: ({ language, path }) => ({
    title: WORDS[language].title,
    description: WORDS[language].description,
    canonical: path,
  }),
  body: ({ visit }) => {
    const t = useWords(WORDS)
    const albums = useList(albumsOf(visit))
    return (
      <>
        <header class="page-head">
          <h1>{t.title}</h1>
        </header>
        {albums.items.map(({ id, title, intro, storage, paid_node: price }) => (
          <Summary
            key={id}
            href={`/music_specials/${id}`}
            title={title}
            text={intro}
            image={storage && `/api/v2/files/${storage.id}?w=192`}
          >
            {price && !price.paid && t.price(price.amount)}
          </Summary>
        ))}
        {albums.items.length === 0 && !albums.isPending && (
          <section class="empty">
            <Disc3 size={40} aria-hidden />
            <h2>{t.empty}</h2>
          </section>
        )}
        <More list={albums} path={visit.path} />
      </>
    )
  },
})

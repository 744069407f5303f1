import type { Schema } from '@kith/client'
import { list, startOf, useList } from '../../app/api.ts'
import { definePage, type Visit } from '../../app/page.ts'
import { plainLine } from '../../app/text.ts'
import { useWords, words } from '../../app/words.ts'
import { More } from '../../ui/more.tsx'
import { Summary } from '../../ui/summary.tsx'
import { SavedTabs } from './saved-tabs.tsx'

const WORDS = words({
  title: ['Saved', '收藏'],
  answer: ['Answer', '回答'],
  none: ['Nothing saved yet', '还没有收藏'],
})

type Shown = {
  id: number
  href: string
  title: string | null
  text: string | null
  image?: string | undefined
}

const small = (image: { id: number } | null | undefined) =>
  image ? `/api/v2/files/${image.id}?w=192` : undefined

const KINDS = {
  news: {
    path: '/news/collections',
    show: ({ id, title, subject, image }: Schema<'NewsItem'>): Shown => ({
      id,
      href: `/news/${id}`,
      title,
      text: subject,
      image: small(image),
    }),
  },
  answers: {
    path: '/user/question-answer/collections',
    show: ({ id, collectible }: Schema<'AnswerCollection'>): Shown => ({
      id,
      href: `/question-answers/${collectible.id}`,
      title: null,
      text: collectible.text_body ?? plainLine(collectible.body_tree, collectible.body),
    }),
  },
  'group-posts': {
    path: '/user-post-collections',
    show: ({ id, group_id, title, summary, images }: Schema<'GroupPostItem'>): Shown => ({
      id,
      href: `/groups/${group_id}/posts/${id}`,
      title,
      text: summary,
      image: small(images[0]),
    }),
  },
  albums: {
    path: '/music/collections',
    show: ({ id, title, intro, storage }: Schema<'Special'>): Shown => ({
      id,
      href: `/music_specials/${id}`,
      title,
      text: intro,
      image: small(storage),
    }),
  },
} as const
type Kind = keyof typeof KINDS

const kindOf = ({ params }: Visit): Kind =>
  (Object.keys(KINDS) as Kind[]).find((kind) => kind === params.kind) ?? 'news'
const savedOf = (visit: Visit) =>
  list(KINDS[kindOf(visit)].path, { params: { query: startOf(visit.search) } })

export const page = definePage({
  queries: (visit) => [savedOf(visit)],
  head: ({ language }) => ({ title: WORDS[language].title, isPrivate: true }),
  body: ({ visit }) => {
    const t = useWords(WORDS)
    const saved = useList(savedOf(visit))
    const show = KINDS[kindOf(visit)].show as (item: unknown) => Shown
    return (
      <>
        <SavedTabs path={visit.path} />
        <header class="page-head">
          <h1>{t.title}</h1>
        </header>
        {saved.items.map((item) => {
          const { id, href, title, text, image } = show(item)
          return <Summary key={id} href={href} title={title ?? t.answer} text={text} image={image} />
        })}
        {saved.items.length === 0 && <p class="quiet is-centred">{t.none}</p>}
        <More list={saved} path={visit.path} />
      </>
    )
  },
})

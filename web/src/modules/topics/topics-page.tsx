import { Hash } from 'lucide-preact'
import { useState } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import { list, startOf, useList } from '../../app/api.ts'
import { definePage, type Visit } from '../../app/page.ts'
import { useSite } from '../../app/site.ts'
import { compact, plural, useWords, words } from '../../app/words.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Field, Form } from '../../ui/form.tsx'
import { More } from '../../ui/more.tsx'
import { Summary } from '../../ui/summary.tsx'
import { Tabs } from '../../ui/tabs.tsx'

const WORDS = words({
  title: ['Topics', '话题'],
  description: ['Browse posts by topic.', '按话题浏览动态。'],
  new: ['New', '最新'],
  hot: ['Hot', '热门'],
  counts: [
    (feeds: number, followers: number) =>
      `${plural(feeds, 'post', compact(feeds, 'en'))} · ${plural(followers, 'follower', compact(followers, 'en'))}`,
    (feeds: number, followers: number) =>
      `${compact(feeds, 'zh')} 条动态 · ${compact(followers, 'zh')} 人关注`,
  ],
  empty: ['No topics yet', '还没有话题'],
  create: ['Create a topic', '创建话题'],
  name: ['Name', '名称'],
  about: ['Description', '简介'],
})

const topicsOf = ({ search }: Visit) =>
  list('/feed/topics', {
    params: {
      query: search.has('hot') ? { only: 'hot' } : { ...startOf(search) },
    } as never,
  })

export const page = definePage({
  queries: (visit) => [topicsOf(visit)],
  head: ({ language, path }) => ({
    title: WORDS[language].title,
    description: WORDS[language].description,
    canonical: path,
  }),
  body: ({ visit }) => {
    const t = useWords(WORDS)
    const { api, viewer } = useSite()
    const [, navigate] = useLocation()
    const [isCreating, setIsCreating] = useState(false)
    const topics = useList(topicsOf(visit))
    const isHot = visit.search.has('hot')
    return (
      <>
        <header class="page-head">
          <h1>{t.title}</h1>
          {viewer && (
            <button type="button" class="button is-quiet" onClick={() => setIsCreating(true)}>
              {t.create}
            </button>
          )}
        </header>
        <Tabs
          label={t.title}
          here={isHot ? '/topics?hot=1' : '/topics'}
          tabs={[
            ['/topics', t.new],
            ['/topics?hot=1', t.hot],
          ]}
        />
        {topics.items.map(({ id, name, desc, logo, feeds_count, followers_count }) => (
          <Summary key={id} href={`/feed-topics/${id}`} title={`#${name}`} text={desc} image={logo?.url}>
            {t.counts(feeds_count, followers_count)}
          </Summary>
        ))}
        {topics.items.length === 0 && !topics.isPending && (
          <section class="empty">
            <Hash size={40} aria-hidden />
            <h2>{t.empty}</h2>
          </section>
        )}
        {!isHot && <More list={topics} path={visit.path} />}
        {isCreating && (
          <Dialog title={t.create} onClose={() => setIsCreating(false)}>
            <Form
              label={t.create}
              draft="new-topic"
              send={async ({ name = '', desc }) => {
                const made = await api.post('/feed/topics', { body: { name, ...(desc ? { desc } : {}) } })
                navigate(`/feed-topics/${made.id}`)
              }}
            >
              <Field label={t.name} name="name" required maxLength={100} />
              <label>
                {t.about}
                <textarea dir="auto" name="desc" rows={3} maxLength={500} />
              </label>
            </Form>
          </Dialog>
        )}
      </>
    )
  },
})

import { UsersRound } from 'lucide-preact'
import { Link } from 'wouter-preact'
import { list, startOf, useList } from '../../app/api.ts'
import { definePage, type Visit } from '../../app/page.ts'
import { useViewer } from '../../app/site.ts'
import { compact, plural, useWords, words } from '../../app/words.ts'
import { More } from '../../ui/more.tsx'
import { Summary } from '../../ui/summary.tsx'
import { Tabs } from '../../ui/tabs.tsx'

const WORDS = words({
  title: ['Groups', '圈子'],
  description: ['Groups for people with common interests.', '和志趣相投的人一起交流。'],
  counts: [
    (people: number, posts: number) =>
      `${plural(people, 'member', compact(people, 'en'))} · ${plural(posts, 'post', compact(posts, 'en'))}`,
    (people: number, posts: number) => `${compact(people, 'zh')} 位成员 · ${compact(posts, 'zh')} 个帖子`,
  ],
  public: ['Open', '公开'],
  private: ['Private', '私密'],
  paid: ['Paid', '付费'],
  start: ['Create a group', '创建圈子'],
  '/groups': ['All', '全部'],
  '/groups/mine': ['Mine', '我的'],
  empty: ['No groups yet', '还没有圈子'],
})

const groupsOf = ({ search, path }: Visit) => {
  const init = { params: { query: { ...startOf(search) } as never } }
  return path === '/groups/mine' ? list('/user-groups', init) : list('/groups', init)
}

export const page = definePage({
  queries: (visit) => [groupsOf(visit)],
  head: ({ language, path }) => ({
    title: WORDS[language].title,
    description: WORDS[language].description,
    canonical: path,
  }),
  body: ({ visit }) => {
    const t = useWords(WORDS)
    const viewer = useViewer()
    const groups = useList(groupsOf(visit))
    return (
      <>
        <header class="page-head">
          <h1>{t.title}</h1>
          {viewer && (
            <Link class="button" href="/groups/new">
              {t.start}
            </Link>
          )}
        </header>
        {viewer && (
          <Tabs
            label={t.title}
            here={visit.path}
            tabs={(['/groups', '/groups/mine'] as const).map((path) => [path, t[path]])}
          />
        )}
        {groups.items.map(({ id, name, summary, avatar, mode, users_count, posts_count }) => (
          <Summary key={id} href={`/groups/${id}`} title={name} text={summary} image={avatar?.url}>
            {t[mode]} · {t.counts(users_count, posts_count)}
          </Summary>
        ))}
        {groups.items.length === 0 && !groups.isPending && (
          <section class="empty">
            <UsersRound size={40} aria-hidden />
            <h2>{t.empty}</h2>
          </section>
        )}
        <More list={groups} path={visit.path} />
      </>
    )
  },
})

import { useWords, words } from '../../app/words.ts'
import { Tabs } from '../../ui/tabs.tsx'

const WORDS = words({
  label: ['Types of saved content', '收藏类型'],
  '/saved': ['Posts', '动态'],
  '/saved/news': ['Articles', '资讯'],
  '/saved/answers': ['Answers', '回答'],
  '/saved/group-posts': ['Group posts', '圈子帖子'],
  '/saved/albums': ['Albums', '专辑'],
})
const PATHS = ['/saved', '/saved/news', '/saved/answers', '/saved/group-posts', '/saved/albums'] as const

export function SavedTabs({ path }: { path: string }) {
  const t = useWords(WORDS)
  return <Tabs label={t.label} here={path} tabs={PATHS.map((to) => [to, t[to]])} />
}

import { useViewer } from '../../app/site.ts'
import { useWords, words } from '../../app/words.ts'
import { Tabs } from '../../ui/tabs.tsx'

const WORDS = words({
  label: ['Ways to find people', '找人方式'],
  recommended: ['Recommended', '推荐'],
  popular: ['Popular', '热门'],
  latest: ['New', '最新'],
  tags: ['Same tags', '同标签'],
  nearby: ['Nearby', '附近'],
})

export function PeopleTabs({ path }: { path: string }) {
  const t = useWords(WORDS)
  const viewer = useViewer()
  const pages = [
    ['/people', t.recommended],
    ['/people/popular', t.popular],
    ['/people/new', t.latest],
    ...(viewer ? [['/people/tags', t.tags] as const, ['/people/nearby', t.nearby] as const] : []),
  ] as const
  return <Tabs label={t.label} here={path} tabs={pages} />
}

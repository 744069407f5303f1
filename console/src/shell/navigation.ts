import { mayCall } from '../api/auth-provider.ts'
import type { Section } from '../areas/area.ts'
import { AREAS } from '../areas/areas.ts'
import { PAGES } from '../pages/pages.ts'
import { QUEUES } from '../queues/queues.ts'
import type { Text } from './text.ts'

/** An entry of the menu. */
export type Entry = { to: string; label: Text; icon: string; queue?: string }

const SECTIONS: readonly { name: Section; label: Text }[] = [
  { name: 'people', label: ['People', '用户'] },
  { name: 'content', label: ['Content', '内容'] },
  { name: 'news', label: ['News', '资讯'] },
  { name: 'music', label: ['Music', '音乐'] },
  { name: 'questions', label: ['Questions', '问答'] },
  { name: 'groups', label: ['Groups', '圈子'] },
  { name: 'money', label: ['Money', '资金'] },
  { name: 'site', label: ['Site', '站点'] },
  { name: 'system', label: ['System', '系统'] },
]

/** What somebody with these abilities finds in the menu. */
export function entriesFor(mine: Set<string>): { label: Text | null; entries: Entry[] }[] {
  const queues = QUEUES.filter(({ operation }) => mayCall(mine, operation)).map(({ name, label, icon }) => ({
    to: `/queues/${name}`,
    label,
    icon,
    queue: name,
  }))
  const sections = SECTIONS.map(({ name, label }) => ({
    label,
    entries: [
      ...AREAS.filter(
        (area) => area.section === name && !area.isHidden && mayCall(mine, `get ${area.path}`),
      ).map((area): Entry => ({ to: `/${area.name}`, label: area.label, icon: area.icon })),
      ...PAGES.filter((page) => page.section === name && mayCall(mine, page.operation)).map(
        (page): Entry => ({ to: `/${page.name}`, label: page.label, icon: page.icon }),
      ),
    ],
  }))
  return [
    { label: null, entries: [{ to: '/', label: ['Home', '首页'] as Text, icon: 'home' }] },
    { label: ['Waiting', '待处理'] as Text, entries: queues },
    ...sections,
  ].filter(({ entries }) => entries.length > 0)
}

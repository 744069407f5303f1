import { mayCall } from '../api/auth-provider.ts'
import type { Section } from '../areas/area.ts'
import { AREAS } from '../areas/areas.ts'
import { PAGES } from '../pages/pages.ts'
import { QUEUES } from '../queues/queues.ts'
import type { Text } from './text.ts'

export type Entry = { to: string; label: Text; icon: string; queue?: string }

export type Job = { name: string; label: Text; entries: Entry[] }

const JOBS: readonly { name: string; label: Text; sections: readonly Section[] }[] = [
  { name: 'people', label: ['Users', '用户'], sections: ['people'] },
  {
    name: 'content',
    label: ['Content', '内容'],
    sections: ['content', 'news', 'questions', 'groups', 'music'],
  },
  { name: 'money', label: ['Money', '资金'], sections: ['money'] },
  { name: 'site', label: ['Site', '站点'], sections: ['site'] },
  { name: 'system', label: ['System', '系统'], sections: ['system'] },
]

export const HOME: Entry = { to: '/', label: ['Home', '首页'], icon: 'home' }

export function entriesFor(mine: Set<string>): Job[] {
  const queues = QUEUES.filter(({ operation }) => mayCall(mine, operation)).map(({ name, label, icon }) => ({
    to: `/queues/${name}`,
    label,
    icon,
    queue: name,
  }))
  const jobs = JOBS.map(({ name, label, sections }) => ({
    name,
    label,
    entries: sections.flatMap((section) => [
      ...AREAS.filter(
        (area) => area.section === section && !area.isHidden && mayCall(mine, `get ${area.path}`),
      ).map((area): Entry => ({ to: `/${area.name}`, label: area.label, icon: area.icon })),
      ...PAGES.filter((page) => page.section === section && mayCall(mine, page.operation)).map(
        (page): Entry => ({ to: `/${page.name}`, label: page.label, icon: page.icon }),
      ),
    ]),
  }))
  const decide: Job = { name: 'decide', label: ['Pending decisions', '待处理'], entries: queues }
  return [decide, ...jobs].filter(({ entries }) => entries.length > 0)
}

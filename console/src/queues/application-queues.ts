import { memberText, plainText } from '../areas/member-text.ts'
import type { Queue } from './queue.ts'
import { actions, authorIn, FACTS, text } from './queue-parts.ts'

export const APPLICATION_QUEUES: readonly Queue[] = [
  {
    name: 'question-applications',
    label: ['Excellence requests', '精选申请'],
    icon: 'star',
    path: 'question-applications',
    query: { state: 'pending' },
    operation: 'patch question-applications/{application}',
    title: (row) => text(row.subject) || `#${row.question_id}`,
    body: (row) => memberText(row, 'body', 'markdown'),
    whole: (row) => `/admin/questions/${row.question_id}?trees=true`,
    facts: [FACTS.asked, FACTS.points, FACTS.person],
    author: authorIn('user_id'),
    ...actions('question-applications', 'mark'),
  },
  {
    name: 'question-topic-applications',
    label: ['New question topics', '问答话题申请'],
    icon: 'topic',
    path: 'question-topic-applications',
    query: { state: 'pending' },
    operation: 'patch question-topic-applications/{application}',
    title: (row) => text(row.name),
    body: (row) => plainText(row.description),
    facts: [FACTS.asked, FACTS.person],
    author: authorIn('user_id'),
    ...actions('question-topic-applications', 'mark'),
  },
  {
    name: 'news-deletions',
    label: ['Article deletions', '资讯删除申请'],
    icon: 'delete',
    path: 'news/deletions',
    query: { state: 'pending' },
    operation: 'patch news/deletions/{deletion}',
    title: (row) => text(row.title),
    body: (row) => memberText(row, 'content', 'markdown'),
    whole: (row) => `/admin/news/${row.news_id}?trees=true`,
    facts: [FACTS.asked],
    author: authorIn('user_id'),
    ...actions('news/deletions', 'mark', { acceptLabel: ['Delete the article', '删除资讯'] }),
  },
]

import { CircleQuestionMark } from 'lucide-preact'
import type { MenuEntry, Route } from '../../app/page.ts'

export const routes: Route[] = [
  { path: '/questions', page: 'questions-page' },
  { path: '/questions/mine', page: 'my-questions-page', access: 'members' },
  { path: '/questions/ask', page: 'ask-page', access: 'members' },
  { path: '/questions/:question', page: 'question-page', goneIn: 'questions' },
  { path: '/question-answers/:answer', page: 'answer-page' },
  { path: '/question-topics/:topic', page: 'question-topic-page' },
]

export const menu: MenuEntry[] = [
  {
    path: '/questions',
    label: { en: 'Questions', zh: '问答' },
    icon: CircleQuestionMark,
    order: 45,
    for: 'all',
  },
]

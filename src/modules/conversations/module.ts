import { personalTable } from '#contracts/personal-data.ts'
import type { Module } from '../../module.ts'
import { adminConversationRoutes, conversationRoutes, deleteFeedbackOf } from './routes.ts'

export const feedbackPersonal = [
  personalTable({
    file: 'feedback',
    about: { en: 'Feedback you sent to the site', zh: '您的意见反馈' },
    table: 'feedback',
    key: ['id'],
    columns: ['id', 'content', 'created_at'],
  }),
]

export const module: Module = {
  tags: {
    Conversations: { place: 7, about: 'Feedback to the administrators and notices from them.' },
  },
  routes: () => [conversationRoutes, adminConversationRoutes],
  personalData: { place: 18, tables: feedbackPersonal },
  erase: deleteFeedbackOf,
}

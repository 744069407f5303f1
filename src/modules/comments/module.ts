import { personalTable } from '#contracts/personal-data.ts'
import { creationSeries, type Statistics } from '#contracts/statistics.ts'
import type { Context } from '#platform/context.ts'
import type { Schedule, TaskList } from '#platform/jobs'
import type { Module } from '../../module.ts'
import { commentRoutes } from './mount.ts'
import { commentCounters } from './queries.ts'
import { commentContent, commentRemoval, deletionTasks, tidyCommentMarks } from './service.ts'

export const commentTasks = (ctx: Context): TaskList => ({
  ...deletionTasks(ctx),
  tidy_comment_marks: () => tidyCommentMarks(ctx),
})

export const commentSchedules: Schedule[] = [{ task: 'tidy_comment_marks', pattern: '*/15 * * * *' }]

/** Exports a user's comments without their recipients, who may be anonymous. */
export const commentPersonal = [
  personalTable({
    file: 'comments',
    about: { en: 'Your comments', zh: '您的评论' },
    table: 'comments',
    key: ['id'],
    columns: ['id', 'commentable_type', 'commentable_id', 'body', 'created_at', 'updated_at'],
  }),
]

export const commentStatistics: Statistics = {
  series: [creationSeries('comments', 'comments', 'admin: feeds')],
}

export const module: Module = {
  tags: {
    Comments: { place: 14, about: 'Comments of every kind.' },
  },
  routes: (site) => [
    commentRoutes(site.readers),
    (server, ctx) =>
      site.service('mountReports')(server, ctx, commentContent(site.readers), {
        path: '/report/comments/:comment',
      }),
  ],
  personalData: { place: 10, tables: commentPersonal },
  statistics: { place: 3, ...commentStatistics },
  counters: commentCounters,
  tasks: () => [commentTasks],
  schedules: commentSchedules,
  endings: () => [
    {
      type: 'comments',
      live: (sql) => sql`select id from comments`,
      on: (sql) =>
        sql`select id, commentable_type as content_type, commentable_id as content_id from comments`,
    },
  ],
  removals: { comments: commentRemoval },
}

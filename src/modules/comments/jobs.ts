import type { Context } from '#platform/context.ts'
import type { Schedule, TaskList } from '#platform/jobs.ts'
import { tidyCommentMarks } from './service.ts'

export const commentTasks = (ctx: Context): TaskList => ({ tidy_comment_marks: () => tidyCommentMarks(ctx) })

export const commentSchedules: Schedule[] = [{ task: 'tidy_comment_marks', pattern: '*/15 * * * *' }]

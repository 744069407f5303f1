import { personalTable } from '#contracts/personal-data.ts'
import type { Context } from '#platform/context.ts'
import type { Schedule, TaskList } from '#platform/jobs'
import type { Module } from '../../module.ts'
import { deleteSignIns } from './queries.ts'
import { tidyTokens } from './service.ts'

export const tokenTasks = (ctx: Context): TaskList => ({ tidy_tokens: () => tidyTokens(ctx) })

export const tokenSchedules: Schedule[] = [{ task: 'tidy_tokens', pattern: '17 3 * * *' }]

export const tokenPersonal = [
  personalTable({
    file: 'sign-ins',
    about: { en: 'Your sessions', zh: '您的登录设备' },
    table: 'token_families',
    key: ['id'],
    columns: ['id', 'user_agent', 'network', 'created_at', 'used_at', 'revoked_at'],
  }),
]

export const module: Module = {
  personalData: { place: 3, tables: tokenPersonal },
  erase: deleteSignIns,
  tasks: () => [tokenTasks],
  schedules: tokenSchedules,
}

import type { Context } from '#platform/context.ts'
import type { TaskList } from '#platform/jobs.ts'
import type { CertificationType } from './schema.ts'
import { renewAllBadges } from './service.ts'

/** Jobs of certifications. */
export const certificationTasks = (ctx: Context): TaskList => ({
  renew_badges: (payload) => renewAllBadges(ctx, (payload as { name: CertificationType }).name),
})

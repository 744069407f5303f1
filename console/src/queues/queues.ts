import { APPLICATION_QUEUES } from './application-queues.ts'
import { CONTENT_QUEUES } from './content-queues.ts'
import { PAYMENT_QUEUES } from './payment-queues.ts'
import { PEOPLE_QUEUES } from './people-queues.ts'
import type { Queue } from './queue.ts'

export const QUEUES: readonly Queue[] = [
  ...CONTENT_QUEUES,
  ...PEOPLE_QUEUES,
  ...PAYMENT_QUEUES,
  ...APPLICATION_QUEUES,
]

export const queueNamed = (name: string | undefined) => QUEUES.find((queue) => queue.name === name)

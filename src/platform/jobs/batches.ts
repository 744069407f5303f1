import type { TaskList } from 'graphile-worker'
import type { Context } from '#platform/context.ts'
import { type Tx, transaction } from '#platform/database'
import { addJob } from './jobs.ts'

/** Deletes one batch, and returns whether others may be left. */
type DeleteSome = (tx: Tx, type: string, contentIds: number[]) => Promise<boolean>

/**
 * Deletes what belongs to deleted content, the first batch in the caller's transaction and the others in the job
 * `task`, each in a transaction of its own.
 */
export function deletionInBatches(task: string, deleteSome: DeleteSome) {
  return {
    async deleteOf(tx: Tx, type: string, contentIds: number[]): Promise<void> {
      if (await deleteSome(tx, type, contentIds)) await addJob(tx, task, { type, ids: contentIds })
    },
    tasks: ({ sql }: Context): TaskList => ({
      async [task](payload, { abortSignal }) {
        const { type, ids } = payload as { type: string; ids: number[] }
        while (await transaction(sql, (tx) => deleteSome(tx, type, ids))) abortSignal?.throwIfAborted()
      },
    }),
  }
}

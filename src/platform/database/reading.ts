import type { Use } from '#platform/generations/statement-tables.ts'

/** Counts of this process that are not in the database yet. */
export type LiveCounts = { add(ids: Iterable<number>): void; pending(id: number): number }

/** Writes down what something that is to be kept is made of. */
export type Reading = {
  /** A statement was answered. */
  read(use: Use): void
  /** A cache of this process was read. */
  readCache(name: string): void
  /** Something was read that no generation tells of. */
  readUnknown(): void
  /** Something was read that is more than flags apart for these people, or for nobody knows whom. */
  readPersonal(people?: readonly number[]): void
  /** What showing it counts: done each time that it is sent. */
  shows(counts: LiveCounts, ids: number[]): void
  /** Stands for what is counted and not written yet: the number itself is put in when it is sent. */
  live(counts: LiveCounts, id: number): number
}

import { newKey } from '@kith/client'
import { useSyncExternalStore } from 'react'
import { call } from '../api/client.ts'
import { messageOf } from '../api/message.ts'
import type { Decided } from './queue.ts'

export const UNDO_MS = 5000

export type Pending = {
  id: string
  title: string
  verdict: string
  decided: Decided
  /** Idempotency key, so that a retried decision about money takes effect once. */
  key: string
  until: number
  state: 'waiting' | 'sending' | 'refused'
  refusal?: string
}

let pending: readonly Pending[] = []
const listeners = new Set<() => void>()
const finished = new Set<(id: string, outcome: 'sent' | 'refused' | 'undone') => void>()
const timers = new Map<string, ReturnType<typeof setTimeout>>()

function set(next: readonly Pending[]) {
  pending = next
  for (const listener of listeners) listener()
}

const patch = (id: string, change: Partial<Pending>) =>
  set(pending.map((each) => (each.id === id ? { ...each, ...change } : each)))

function finish(id: string, outcome: 'sent' | 'refused' | 'undone') {
  for (const listener of finished) listener(id, outcome)
}

export function decide(decision: Omit<Pending, 'key' | 'until' | 'state'>): void {
  set([...pending, { ...decision, key: newKey(), until: Date.now() + UNDO_MS, state: 'waiting' }])
  timers.set(
    decision.id,
    setTimeout(() => void send(decision.id), UNDO_MS),
  )
}

export function undo(id: string): void {
  if (pending.find((each) => each.id === id)?.state !== 'waiting') return
  clearTimeout(timers.get(id))
  set(pending.filter((each) => each.id !== id))
  finish(id, 'undone')
}

export function dismiss(id: string): void {
  set(pending.filter((each) => each.id !== id))
}

async function send(id: string, keepalive = false) {
  const decision = pending.find((each) => each.id === id)
  if (decision?.state !== 'waiting') return
  clearTimeout(timers.get(id))
  patch(id, { state: 'sending' })
  const { verb, path, body } = decision.decided
  try {
    await call(verb, path, { body, keepalive, key: decision.key })
    // Notifies listeners before the decision is removed, so that no list displays the item again.
    finish(id, 'sent')
    set(pending.filter((each) => each.id !== id))
  } catch (error) {
    patch(id, { state: 'refused', refusal: messageOf(error) })
    finish(id, 'refused')
  }
}

// Sends pending decisions when the page closes, because the page displayed them as done.
addEventListener('pagehide', () => {
  for (const { id } of pending) void send(id, true)
})

export const usePending = () =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => pending,
  )

export function onFinished(
  listener: (id: string, outcome: 'sent' | 'refused' | 'undone') => void,
): () => void {
  finished.add(listener)
  return () => finished.delete(listener)
}

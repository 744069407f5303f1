import type { Wire } from '../api/client.ts'
import type { Shown } from '../areas/area.ts'
import type { Text } from '../shell/text.ts'

/** One request that carries out a decision. */
export type Decided = { verb: 'PATCH' | 'PUT'; path: string; body: Wire }

/** What a verdict may be told besides its reason. */
export type Detail = {
  name: string
  label: Text
  as: 'flag' | 'number' | 'text' | 'choice'
  choices?: readonly { id: string; name: Text }[]
  required?: boolean
  /** Asked for only with certain other answers. */
  when?: (given: Wire) => boolean
  /** The operation that it needs besides. */
  operation?: string
}

/** One way to decide, and what it has to be told. */
export type Verdict = {
  label: Text
  /** A text that is asked for. */
  reason?: { label: Text; required?: boolean; from?: (row: Wire) => string }
  details?: readonly Detail[]
  call: (row: Wire, reason: string, given: Wire) => Decided
}

/** The ways to decide on what waits, each with its key. */
export const VERDICTS = { accept: 'a', reject: 'r', more: 'm' } as const
export type VerdictName = keyof typeof VERDICTS

/** One kind of things that wait for a decision. */
export type Queue = {
  name: string
  label: Text
  icon: string
  /** Below /admin, with the query that finds what waits. */
  path: string
  query: Wire
  /** The operation that decides; who may not call it does not see the queue. */
  operation: string
  title: (row: Wire) => string
  body?: (row: Wire) => string | null | undefined
  /** Where all of the content is read, when the list shows a part of it. */
  whole?: (row: Wire) => string
  facts: readonly { label: Text; name: string; as?: Shown }[]
  /** Uploads by id, and pictures by address. */
  uploads?: (row: Wire) => number[]
  pictures?: (row: Wire) => unknown[]
  author: (row: Wire) => number | undefined
  accept: Verdict
  reject: Verdict
  /** Accepting with more than a remark. */
  more?: Verdict
}

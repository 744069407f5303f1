import type { Wire } from '../api/client.ts'
import type { Choice, Shown } from '../areas/area.ts'
import type { MemberText } from '../areas/member-text.ts'
import type { Text } from '../shell/text.ts'

export type Decided = { verb: 'PATCH' | 'PUT'; path: string; body: Wire }

export type Detail = {
  name: string
  label: Text
  as: 'flag' | 'number' | 'text' | 'choice'
  choices?: readonly { id: string; name: Text }[]
  required?: boolean
  when?: (given: Wire, row: Wire) => boolean
  operation?: string
}

export type Verdict = {
  label: Text
  reason?: { label: Text; required?: boolean; from?: (row: Wire) => string }
  details?: readonly Detail[]
  preview?: (given: Wire) => { told: Text; effect: Text } | undefined
  call: (row: Wire, reason: string, given: Wire) => Decided
}

export const VERDICTS = { accept: 'a', reject: 'r', more: 'm' } as const
export type VerdictName = keyof typeof VERDICTS

export type Queue = {
  name: string
  label: Text
  icon: string
  path: string
  query: Wire
  operation: string
  title: (row: Wire) => string
  body?: (row: Wire) => MemberText | undefined
  /** Path and query of the whole content. */
  whole?: (row: Wire) => string
  chatMessage?: (row: Wire) => string | undefined
  facts: readonly {
    label: Text
    name: string
    as?: Shown
    choices?: readonly Choice[]
    copies?: boolean
  }[]
  uploads?: (row: Wire) => number[]
  pictures?: (row: Wire) => unknown[]
  author: (row: Wire) => number | undefined
  accept: Verdict
  reject: Verdict
  more?: Verdict
}

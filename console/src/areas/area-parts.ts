import type { Text } from '../shell/text.ts'
import type { Choice, Column, Field } from './area.ts'

/** Column of the owner. */
export const PERSON: Column = { name: 'user', label: ['Person', '用户'], as: 'person' }
/** State of an item with a single decision. */
export const STATE: Column = { name: 'state', label: ['State', '状态'], as: 'state' }
/** Column of the request time. */
export const ASKED: Column = { name: 'created_at', label: ['Asked', '申请时间'], as: 'time', wide: true }
/** Remark of the decider. */
export const REMARK: Column = { name: 'remark', label: ['Remark', '备注'], as: 'long', wide: true }

/** A field or filter on a user. */
export const personIn = (name: string, label: Text = ['Person', '用户']): Field => ({
  name,
  label,
  as: 'area',
  of: 'people',
  shows: 'name',
})

/** A filter on a state. */
export const stateIn = (name: 'state' | 'status', choices: readonly Choice[]): Field => ({
  name,
  label: ['State', '状态'],
  as: 'choice',
  choices,
})

/** A filter on a single decision, with its own name for accepted items. */
export const decisionOf = (accepted: Choice, rejected: Text = ['rejected', '已驳回']): Field =>
  stateIn('state', [
    { id: 'pending', name: ['pending', '待处理'] },
    accepted,
    { id: 'rejected', name: rejected },
  ])

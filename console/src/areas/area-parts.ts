import type { Text } from '../shell/text.ts'
import type { Choice, Column, Field } from './area.ts'

export const PERSON: Column = { name: 'user', label: ['User', '用户'], as: 'person' }
export const STATE: Column = { name: 'state', label: ['Status', '状态'], as: 'state' }
export const ASKED: Column = { name: 'created_at', label: ['Submitted', '提交时间'], as: 'time', wide: true }
export const REMARK: Column = { name: 'remark', label: ['Remark', '备注'], as: 'long', wide: true }

export const GROUP_MODES: readonly Choice[] = [
  { id: 'public', name: ['public', '公开'] },
  { id: 'private', name: ['private', '私密'] },
  { id: 'paid', name: ['paid', '付费'] },
]

/** Removes a leading `All`, and lowercases the first letter of a label unless the first word is an acronym. */
export const inSentence = (label: string): string =>
  label.replace(/^All /i, '').replace(/^\p{Lu}(?!\p{Lu})/u, (letter) => letter.toLowerCase())

export const personIn = (name: string, label: Text = ['User', '用户']): Field => ({
  name,
  label,
  as: 'area',
  of: 'people',
  shows: 'name',
})

export const stateIn = (name: 'state' | 'status', choices: readonly Choice[]): Field => ({
  name,
  label: ['Status', '状态'],
  as: 'choice',
  choices,
})

export const decisionOf = (accepted: Choice, rejected: Text = ['rejected', '已驳回']): Field =>
  stateIn('state', [
    { id: 'pending', name: ['pending', '待处理'] },
    accepted,
    { id: 'rejected', name: rejected },
  ])

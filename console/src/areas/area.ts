import type { Wire } from '../api/client.ts'
import type { Text, Translate } from '../shell/text.ts'

/**
 * Display type of a value. `money` is in fen, `amount` in the row's currency, and `charged`, `found` and `fee` in
 * the provider's currency.
 */
export type Shown =
  | 'text'
  | 'long'
  | 'number'
  | 'points'
  | 'money'
  | 'amount'
  | 'charged'
  | 'found'
  | 'fee'
  | 'time'
  | 'flag'
  | 'person'
  | 'picture'
  | 'upload'
  | 'sound'
  | 'state'
  | 'list'
  | 'code'

export type Choice = { id: string | number | boolean; name: Text; tone?: 'good' | 'bad' | 'wait' | 'quiet' }

export type Column = {
  name: string
  label: Text
  as?: Shown
  choices?: readonly Choice[]
  from?: (row: Wire, t: Translate) => unknown
  wide?: boolean
  /** True for a short form of the body. The page of a record omits it. */
  isExcerpt?: true
}

export type Field = {
  name: string
  label: Text
  as?:
    | 'text'
    | 'long'
    | 'markdown'
    | 'number'
    | 'points'
    | 'charged'
    | 'flag'
    | 'choice'
    | 'choices'
    | 'area'
    | 'areas'
    | 'picture'
    | 'sound'
    | 'upload'
    | 'node'
    | 'password'
    | 'words'
    | 'numbers'
    | 'time'
    | 'checks'
    | 'events'
    | 'space'
  choices?: readonly Choice[]
  /** Referenced area. `shows` names the field of the area's records to display. */
  of?: string
  shows?: string
  names?: (row: Wire) => Text
  keeps?: string
  required?: boolean
  help?: Text
  only?: 'new' | 'known'
  full?: boolean
  standard?: unknown
}

export type Deed = {
  label: Text
  /** Returns the method and the path relative to the record, such as `PUT hot`. */
  call: (row: Wire) => { verb: 'POST' | 'PUT' | 'PATCH' | 'DELETE'; path: string; body?: Wire }
  /**
   * Required operation, such as `put feed-topics/{topicID}/hot`. Users who may not call the operation do not
   * see the action.
   */
  operation: string
  when?: (row: Wire) => boolean
  ask?: Text
  reason?: { field: string; label: Text; required?: boolean }
  done?: Text
  tone?: 'bad'
}

export type Section =
  | 'people'
  | 'content'
  | 'music'
  | 'news'
  | 'questions'
  | 'groups'
  | 'site'
  | 'money'
  | 'system'

export type Area = {
  name: string
  path: string
  param?: string
  section: Section
  label: Text
  noun: Text
  icon: string
  columns: readonly Column[]
  filters?: readonly Field[]
  fields?: readonly Field[]
  /** Returns false for records that the API refuses to change. */
  isEditable?: (row: Wire) => boolean
  sorts?: readonly string[]
  deeds?: readonly Deed[]
  query?: Wire
  idOf?: (row: Wire) => unknown
  title?: (row: Wire, t: Translate) => string
  /** Field with the Markdown of the record. */
  body?: string
  /** True when the record has texts of members, so that the console asks for their trees. */
  hasTrees?: true
  toWire?: (data: Wire) => Wire
  /** True when one response contains the whole list. */
  isPlain?: boolean
  detail?: string
  hasSearch?: boolean
  isHidden?: boolean
  emptyNote?: Text
  deletes?: { label?: Text; ask?: Text } | false
}

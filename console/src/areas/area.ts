import type { Wire } from '../api/client.ts'
import type { Text, Translate } from '../shell/text.ts'

/**
 * Display type of a value. `money` is in fen and `amount` in the currency named by the row. `charged`, `found` and
 * `fee` are in the currency of the payment provider.
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
  /** The referenced area, and the field to show of its records. */
  of?: string
  shows?: string
  /** Label of a record of `of`, when it depends on the language. */
  names?: (row: Wire) => Text
  /** Field of a record of `of` to store, if not its id. */
  keeps?: string
  required?: boolean
  help?: Text
  /** Only for new records, or only for existing ones. */
  only?: 'new' | 'known'
  full?: boolean
  standard?: unknown
}

/** An action on one record, besides editing and deleting. */
export type Deed = {
  label: Text
  /** Path below the record, with a method: `PUT hot`. */
  call: (row: Wire) => { verb: 'POST' | 'PUT' | 'PATCH' | 'DELETE'; path: string; body?: Wire }
  /** The action is visible to users who may call this operation, such as `put feed-topics/{topicID}/hot`. */
  operation: string
  when?: (row: Wire) => boolean
  ask?: Text
  /** Asks for a text, which becomes this field of the body. */
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
  sorts?: readonly string[]
  deeds?: readonly Deed[]
  query?: Wire
  idOf?: (row: Wire) => unknown
  title?: (row: Wire, t: Translate) => string
  /** Markdown text of a record, shown as readers see it. */
  body?: (row: Wire) => string
  toWire?: (data: Wire) => Wire
  /** The list has no pages: one reply holds all of it. */
  isPlain?: boolean
  /** A custom page for one record, loaded on demand. */
  detail?: string
  hasSearch?: boolean
  isHidden?: boolean
  emptyNote?: Text
  deletes?: { label?: Text; ask?: Text } | false
}

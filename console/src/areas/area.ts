import type { Wire } from '../api/client.ts'
import type { Text, Translate } from '../shell/text.ts'

/** How a value of a record is shown. */
export type Shown =
  | 'text'
  | 'long'
  | 'number'
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

/** One column of an area's list. */
export type Column = {
  name: string
  label: Text
  as?: Shown
  choices?: readonly Choice[]
  /** What is shown, where it is not the value of that name. */
  from?: (row: Wire, t: Translate) => unknown
  /** Left away on a telephone. */
  wide?: boolean
}

/** One field of an area's form or filter. */
export type Field = {
  name: string
  label: Text
  as?:
    | 'text'
    | 'long'
    | 'markdown'
    | 'number'
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
    | 'space'
  choices?: readonly Choice[]
  /** The area that the value refers to, and what of its records is shown. */
  of?: string
  shows?: string
  /** What a record of `of` is called, where that depends on the language. */
  names?: (row: Wire) => Text
  /** What of a record of `of` is kept, where that is not its id. */
  keeps?: string
  required?: boolean
  help?: Text
  /** Only when a record is made, or only when it is changed. */
  only?: 'new' | 'known'
  /** Beside the form's columns rather than in them. */
  full?: boolean
  standard?: unknown
}

/** Something to be done with one record besides changing and deleting it. */
export type Deed = {
  label: Text
  /** Below the record's path, with a verb: `PUT hot`. */
  call: (row: Wire) => { verb: 'POST' | 'PUT' | 'PATCH' | 'DELETE'; path: string; body?: Wire }
  /** The operation that decides who sees it, such as `put feed-topics/{topicID}/hot`. */
  operation: string
  when?: (row: Wire) => boolean
  /** Asked before it is done. */
  ask?: Text
  /** Asked for a text, which becomes this field of the body. */
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

/** Everything the console knows of one kind of records. */
export type Area = {
  /** Also the address below /admin. */
  name: string
  /** Below /api/v2/admin. */
  path: string
  /** The name of the id in the path of one record. */
  param?: string
  section: Section
  /** One and many. */
  label: Text
  noun: Text
  icon: string
  columns: readonly Column[]
  filters?: readonly Field[]
  fields?: readonly Field[]
  sorts?: readonly string[]
  deeds?: readonly Deed[]
  /** Query that always holds. */
  query?: Wire
  idOf?: (row: Wire) => unknown
  /** What represents a record in a title. */
  title?: (row: Wire, t: Translate) => string
  toWire?: (data: Wire) => Wire
  /** The list has no pages: all of it is answered at once. */
  isPlain?: boolean
  /** A page of its own for one record, loaded when it is opened. */
  detail?: string
  hasSearch?: boolean
  /** Not in the menu: reached from another page. */
  isHidden?: boolean
  /** Why there may be none yet. */
  emptyNote?: Text
  deletes?: { label?: Text; ask?: Text } | false
}

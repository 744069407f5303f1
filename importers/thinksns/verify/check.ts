/** A column of the source, with what both sides show of it. No part may contain a space. */
export type Cell = { of: string; there: string; here: string }

/**
 * A statement about one kind of thing, asked of both databases in windows of ids: rows `id` and `value`. These statements
 * are written on their own, without the code of the import, so that they do not repeat its mistakes.
 */
export type Check = {
  name: string
  /** Tables of the source that the statement reads. Without one of them, the check is left out. */
  needs: string[]
  there: string
  here: string
  /** Table of the source whose rows the report of the import names, by the id of this check. */
  told?: string
  /** Columns whose changes the report names, in the order of the parts of the value. */
  cells?: Cell[]
  /** True if the ids are those of users. Those whom the import disabled may be here without a source. */
  byUser?: boolean
  /** True if Kith may have fewer, but no more. */
  atMost?: boolean
  /** True if Kith may have more, which another check counts. */
  atLeast?: boolean
  /** Reasons of changes, as a pattern of `like`, that explain why a row is missing. */
  ended?: string
  /** `pairs`: an id may have several values, of which each counts. `amounts`: with `atMost`, Kith may have less. */
  of?: 'pairs' | 'amounts'
}

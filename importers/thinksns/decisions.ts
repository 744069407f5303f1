import { readFile } from 'node:fs/promises'
import type { Db } from '#platform/database'
import { listExamples, listReasons } from './database/state.ts'

const LETTERS = '`kith import letters` tells these users after the switch'
const RENAMED = 'these show the new name: rename them in the source'

/** Reasons of the report that an operator confirms, with advice against a wrong choice. */
export const CHOICES: [reason: RegExp, advice: string][] = [
  [
    /^unknown access: made private$/,
    'only members see the posts, everybody sees name, summary and notice: correct `mode` in the source',
  ],
  [
    /^paid without a price: made private$/,
    'only members see the posts, everybody sees name, summary and notice: set a price or another `mode`',
  ],
  [
    /^pending or blacklisted (founder|administrator): /,
    'correct `audit` or `disabled` of the member in the source',
  ],
  [/^second founder: /, 'decide who is the founder of the group, in `group_members`'],
  [
    /^never approved: imported as deleted$/,
    'only administrators see these feeds: approve them in the source',
  ],
  [/^price of version 1\.x, /, 'everybody reads these feeds: --old-prices keeps their prices'],
  [/^balance only in the wallet of an older version: /, 'this money is lost: --old-wallets adds it'],
  [/^superseded by the current wallet of the user$/, 'this money is not added: pay it out where it is owed'],
  [
    /^second balance of the same user$/,
    'this money is not added: leave one row with the right balance in the source',
  ],
  [/^negative balance of points: set to zero$/, 'the debt is forgiven'],
  [/^unsupported currency$/, 'amounts in this currency are lost'],
  [/^pending order in an unknown currency: /, 'nothing is held for it: decide it in the source'],
  [/^amount above /, 'this money is lost: correct the value in the source'],
  [/^deleted wallet of an older version$/, 'this money is lost: pay it out if it is owed'],
  [/^unknown column: not imported$/, 'ask what these values mean before the old site is gone'],
  [/^disabled$/, 'these topics are lost: enable them in the source'],
  [/^its (author|owner|creator) no longer exists: assigned /, 'the first administrator owns this content'],
  [
    /^(an active|another) user has the same (email|phone): /,
    'the other user signs in with it: correct it in the source',
  ],
  [/^(no name|name looks like|name differs from another)/, LETTERS],
  [/^no e-mail, phone or password: /, '`kith admin reset-password ID` gives access'],
  [
    /^no (phone number|e-mail address): left empty$/,
    'these users cannot sign in with it: correct it in the source',
  ],
  [/^unknown password format: /, 'these users reset their password'],
  [/^second open pin of the same content: /, 'the payment is refunded'],
  [/^paid answer without a bounty /, 'everybody reads these answers'],
  [/^unsupported kind of priced content$/, 'this content has no price in Kith'],
  [/^a price for comments, /, 'comments have no price in Kith'],
  [
    /^(unsupported (ability|use of a file|kind of|type)|unknown kind of certification)/,
    'these rows are lost',
  ],
  [/^HTML converted to Markdown; lost: /, 'compare the examples with the old site'],
  [
    /^a picture of the old site is not among its files/,
    'copy these files and run the import again, or readers see a link',
  ],
  [/^HTML too large or too deep to convert: /, 'these articles show their text without layout'],
  [/: set to its default$/, 'change the setting in the source, or in the console after the switch'],
  [/^(the value cannot be read|unreadable data)$/, 'correct the value in the source'],
  [
    /^(value not supported: |invalid date: )/,
    'the narrower meaning applies: correct the value in the source',
  ],
]

export type Decision = {
  id: string
  rows: number
  /** Identifies the rows, so that others of the same kind need another confirmation. */
  digest: string
  choice: string
  advice: string
  examples: { row: string; old?: unknown; new?: unknown }[]
}

function adviceOf(table: string, reason: string): string | undefined {
  const advice = CHOICES.find(([pattern]) => pattern.test(reason))?.[1]
  return advice === LETTERS && table !== 'users' ? RENAMED : advice
}

/** Lists what the import decided about unknown values, each with the narrower meaning that it chose. */
export async function listDecisions(sql: Db): Promise<Decision[]> {
  const decisions: Decision[] = []
  for (const { table, column, reason, outcome, n, digest } of await listReasons(sql)) {
    const advice = adviceOf(table, reason)
    if (advice === undefined || outcome === 'merged') continue
    const examples = await listExamples(sql, { table, column, reason, outcome })
    const id = `${table}${column === null ? '' : `.${column}`}: ${reason}`
    decisions.push({
      id,
      rows: n,
      digest,
      choice: outcome === 'left out' ? 'skipped' : reason,
      advice,
      examples,
    })
  }
  return decisions
}

type Accepted = Record<string, string>
/** Confirms a decision also for rows that later runs add. */
const ANY = 'any'

export const findOpen = (decisions: Decision[], accepted: Accepted): Decision[] =>
  decisions.filter(({ id, digest }) => accepted[id] !== ANY && accepted[id] !== digest)

/** Reads the decisions of a report, whose other lines may be missing. */
export async function readAccepted(path: string): Promise<Accepted> {
  const accepted: Accepted = {}
  for (const [at, line] of (await readFile(path, 'utf8')).split('\n').entries()) {
    if (line.trim() === '') continue
    let value: { decision?: { id?: unknown; digest?: unknown; rows?: unknown } }
    try {
      value = JSON.parse(line)
    } catch {
      throw new Error(`line ${at + 1} of ${path} is not JSON: give the report that --report wrote`)
    }
    const { id, digest, rows } = value.decision ?? {}
    if (typeof id === 'string') accepted[id] = rows === ANY ? ANY : String(digest)
  }
  return accepted
}

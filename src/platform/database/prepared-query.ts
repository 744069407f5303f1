import pg from 'pg'
import driver from 'pg/package.json' with { type: 'json' }
import type { Query } from './statement.ts'

/**
 * Version of pg whose private members this file uses. For another version, compare `prepare`, `_getRows` and the handlers of its
 * `lib/query.js`, the fields of its `lib/result.js`, and `_handleReadyForQuery` and `_handleErrorMessage` of its `lib/client.js`
 * with this file, then run the tests of this folder.
 */
const KNOWN_VERSION = '8.23.1'
if (driver.version !== KNOWN_VERSION)
  throw new Error(`pg ${driver.version} is not the version that prepared-query.ts knows, ${KNOWN_VERSION}`)

type Columns = { fields: unknown; _parsers: unknown; _prebuiltEmptyResultObject: unknown }

/** Methods of pg's connection that its types omit. */
type Wire = {
  parse(message: { name: string; text: string }): void
  bind(message: { statement: string; values: Query['values'] }): void
  execute(message: object): void
  sync(): void
  emit(event: 'readyForQuery' | 'errorMessage', message: object): void
}

/** Members of pg's query that its types omit. */
type DriverQuery = {
  name: string | undefined
  values: Query['values']
  _result: Columns
  _accumulateRows: unknown
  prepare(connection: Wire): void
  _getRows(connection: Wire): void
  handleRowDescription(message: unknown): void
  handleCommandComplete(message: unknown, connection: Wire): void
  handleError(error: Error, connection: Wire): void
}

type OnResult = (error: Error | undefined, result: pg.QueryResult | pg.QueryResult[]) => void

const Base = pg.Query as unknown as new (
  config: { text: string; values?: Query['values']; name?: string | undefined },
  callback: OnResult,
) => DriverQuery

type PreparedConfig = Pick<Query, 'text' | 'values' | 'name' | 'begins' | 'isFollowed'>

const BEGIN = 'kith_begin'

/** Error that PostgreSQL would send for a statement after the failed one of a transaction. */
const abortedError = () =>
  Object.assign(new pg.DatabaseError('the statement before this one failed', 0, 'error'), {
    severity: 'ERROR',
    code: '25P02',
  })

const known = new WeakMap<Wire, Map<string, Columns>>()

/**
 * Reuses the columns of a prepared statement instead of requesting a description with each execution.
 * PostgreSQL rejects the statement when its result columns change.
 */
class PreparedQuery extends Base {
  #connection: Wire | undefined
  #isBeginning: boolean
  #isFollowed: boolean
  #isComplete = false

  constructor({ begins = false, isFollowed = false, ...config }: PreparedConfig, callback: OnResult) {
    super(config, callback)
    this.#isBeginning = begins
    this.#isFollowed = isFollowed
  }

  override prepare(connection: Wire): void {
    this.#connection = connection
    if (this.#isBeginning) {
      connection.bind({ statement: BEGIN, values: [] })
      connection.execute({})
    }
    const { name } = this
    const columns = name === undefined ? undefined : known.get(connection)?.get(name)
    if (name === undefined || !columns) {
      super.prepare(connection)
      return
    }
    Object.assign(this._result, columns)
    this._accumulateRows = true
    connection.bind({ statement: name, values: this.values })
    this._getRows(connection)
  }

  override _getRows(connection: Wire): void {
    connection.execute({})
    if (!this.#isFollowed) connection.sync()
  }

  override handleRowDescription(message: unknown): void {
    super.handleRowDescription(message)
    const connection = this.#connection
    if (!connection || this.name === undefined) return
    const { fields, _parsers, _prebuiltEmptyResultObject } = this._result
    const ofConnection = known.get(connection) ?? new Map<string, Columns>()
    ofConnection.set(this.name, { fields, _parsers, _prebuiltEmptyResultObject })
    known.set(connection, ofConnection)
  }

  override handleCommandComplete(message: unknown, connection: Wire): void {
    if (this.#isBeginning) {
      this.#isBeginning = false
      return
    }
    super.handleCommandComplete(message, connection)
    this.#isComplete = true
    // PostgreSQL reports that it is ready only after the Sync of the last statement.
    if (this.#isFollowed) connection.emit('readyForQuery', { status: 'T' })
  }

  override handleError(error: Error, connection: Wire): void {
    super.handleError(error, connection)
    if (!this.#isFollowed || this.#isComplete || (error as { severity?: string }).severity !== 'ERROR') return
    // PostgreSQL skips the following statements up to the Sync without a message of its own for each.
    connection.emit('readyForQuery', { status: 'E' })
    connection.emit('errorMessage', abortedError())
  }
}

/** Prepares BEGIN without executing it. */
class BeginPreparation extends Base {
  override prepare(connection: Wire): void {
    connection.parse({ name: BEGIN, text: 'begin' })
    connection.sync()
  }
}

export const beginPreparation = (callback: OnResult): pg.Query =>
  new BeginPreparation({ name: BEGIN, text: 'begin' }, callback) as unknown as pg.Query

export const preparedQuery = (config: PreparedConfig, callback: OnResult): pg.Query =>
  new PreparedQuery(config, callback) as unknown as pg.Query

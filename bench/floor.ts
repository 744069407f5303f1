/**
 * Bare node:http server that runs an operation's captured statements and returns the rows as JSON. Its cost is the
 * lower bound for that operation.
 */
import { createServer } from 'node:http'
import pg from 'pg'
import { typeParsers } from '#platform/database'
import { idAt, type Range } from './operations.ts'

export type Statement = { text: string; parameters: unknown[] }
export type FloorTask = {
  connection: { host: string; port: number; user: string; database: string }
  statements: Statement[]
  poolSize: number
  /** Parameter value that each request replaces with an id from `range`. */
  varied: string
  range: Range
  isRead: boolean
}

process.once('message', (task: FloorTask) => {
  const pool = new pg.Pool({
    ...task.connection,
    max: task.poolSize,
    types: typeParsers,
    options: '-c TimeZone=UTC -c plan_cache_mode=force_generic_plan',
  })
  const inTransaction = task.statements.some(({ text }) => /^begin/i.test(text.trim()))
  const statements = task.statements.filter(({ text }) => !/^(begin|commit|rollback)/i.test(text.trim()))
  let serial = Date.now() % 1_000_000_000
  const server = createServer((request, response) => {
    request.resume()
    request.on('end', async () => {
      serial += 1
      const vary = (parameters: unknown[]) =>
        parameters.map((value) =>
          String(value) === task.varied ? String(idAt(task.range, serial, task.isRead)) : value,
        ) as never[]
      try {
        const rows: unknown[] = []
        const client = await pool.connect()
        try {
          if (inTransaction) await client.query('begin')
          for (const [number, { text, parameters }] of statements.entries())
            rows.push((await client.query({ name: `s${number}`, text, values: vary(parameters) })).rows)
          if (inTransaction) await client.query('commit')
        } finally {
          client.release()
        }
        response.setHeader('content-type', 'application/json')
        response.end(JSON.stringify(rows))
      } catch (error) {
        console.error(error)
        response.statusCode = 500
        response.end()
      }
    })
  })
  server.listen(0, '127.0.0.1', () => {
    const address = server.address()
    process.send?.({ port: typeof address === 'object' && address !== null ? address.port : 0 })
  })
  process.on('disconnect', () => process.exit(0))
})

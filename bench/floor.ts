/**
 * The floor: a bare node:http server that runs the statements an operation was seen to run, with the parameters it was
 * seen to use, and answers the rows as JSON. Started by run.ts, which sends it the statements.
 */
import { createServer } from 'node:http'
import { openDatabase } from '#platform/database.ts'
import { idAt, type Range } from './operations.ts'

export type Statement = { text: string; parameters: unknown[] }
export type FloorTask = {
  connection: { host: string; port: number; user: string; database: string }
  statements: Statement[]
  poolSize: number
  /** A parameter that was this value is another number of the range in each request, as the real requests' is. */
  varied: string
  range: Range
  isRead: boolean
}

process.once('message', (task: FloorTask) => {
  const sql = openDatabase({
    connection: task.connection,
    poolSize: task.poolSize,
    statementTimeoutMs: 60_000,
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
        const work = async (db: { unsafe: typeof sql.unsafe }) => {
          for (const { text, parameters } of statements)
            rows.push(await db.unsafe(text, vary(parameters), { prepare: true }))
        }
        if (inTransaction) await sql.begin((tx) => work(tx))
        else await work(sql)
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

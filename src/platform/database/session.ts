import type pg from 'pg'
import { connect, type Settings, sendQuery } from './connection.ts'
import { createTag, type Query, type Tag } from './statement.ts'

export type Session = {
  sql: Tag
  /** Driver client for COPY, during which `sql` must not be used. */
  client: pg.Client
  end(): void
}

export async function openSession(settings: Settings): Promise<Session> {
  const opened = await connect(settings)
  let last: Promise<void> = Promise.resolve()
  const send = (query: Query) => {
    last = last.then(
      () =>
        new Promise<void>((done) => {
          const { resolve, reject } = query
          query.resolve = (rows) => {
            resolve(rows)
            done()
          }
          query.reject = (error) => {
            reject(error)
            done()
          }
          sendQuery(opened, query)
        }),
    )
  }
  return { sql: createTag(send, false), client: opened.client, end: opened.destroy }
}

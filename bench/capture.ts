import { buildApp } from '#app'
import { readConfig } from '#platform/config'
import { openDatabase } from '#platform/database'
import { createLog } from '#platform/observability'
import { openContext } from '#startup/open-context.ts'
import type { Statement } from './floor.ts'

type Connection = { host: string; port: number; user: string; database: string }

export async function captureStatements(
  connection: Connection,
  dataDir: string,
  token: string,
  request: { method: 'GET' | 'POST' | 'PUT' | 'DELETE'; path: string; body?: string },
): Promise<Statement[]> {
  const config = readConfig({
    // Reads the app secret from this folder, because the secret decrypts the encrypted values in the database.
    DATA_DIR: dataDir,
    DATABASE_URL: 'postgres://bench/',
    DATABASE_POOL_SIZE: '1',
    RATE_LIMIT_USER: '0',
    RATE_LIMIT_ANONYMOUS: '0',
    RATE_LIMIT_PAGES: '0',
    // Disables the caches, because the capture would miss the statements of a cached response.
    GUEST_CACHE_MS: '0',
    FRAGMENTS_MB: '0',
    LOG_LEVEL: 'silent',
  })
  const opened = await openContext(
    { ...config, databaseUrl: connection as never },
    createLog({ level: 'silent' }),
  )
  const statements: Statement[] = []
  let isWatching = false
  const sql = openDatabase({
    connection,
    poolSize: 1,
    statementTimeoutMs: 60_000,
    onQuery: (query) => {
      if (isWatching) statements.push(query)
    },
  })
  const app = await buildApp({ ...opened.ctx, sql })
  const send = (body: string | undefined) =>
    app.inject({
      method: request.method,
      url: request.path,
      headers: {
        ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { payload: body }),
    })
  if (token !== '')
    await app.inject({
      method: 'GET',
      url: '/api/v2/user/abilities',
      headers: { authorization: `Bearer ${token}` },
    })
  // Sends one request before the capture, because the first fills caches and prepares statements.
  await send(request.body?.replaceAll('987654321', String(Date.now() % 1_000_000_000)))
  isWatching = true
  const answer = await send(request.body)
  isWatching = false
  await app.close()
  await sql.end()
  await opened.close()
  if (answer.statusCode >= 300)
    throw new Error(`${request.method} ${request.path} returned ${answer.statusCode}`)
  return statements
}

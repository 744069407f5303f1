import { buildApp } from '#app'
import { readConfig } from '#platform/config.ts'
import { createLog } from '#platform/log.ts'
import { openContext } from '#platform/open-context.ts'
import type { Statement } from './floor.ts'

type Connection = { host: string; port: number; user: string; database: string }
type Options = { debug?: ((connection: number, text: string, parameters: unknown[]) => void) | false }

/** Runs one request inside this process and answers the SQL it sent, once identity and settings are in memory. */
export async function captureStatements(
  connection: Connection,
  dataDir: string,
  token: string,
  request: { method: 'GET' | 'POST' | 'PUT' | 'DELETE'; path: string; body?: string },
): Promise<Statement[]> {
  const config = readConfig({
    // Its secret is the one that the database was sealed with.
    DATA_DIR: dataDir,
    DATABASE_URL: 'postgres://bench/',
    DATABASE_POOL_SIZE: '1',
    RATE_LIMIT_USER: '0',
    LOG_LEVEL: 'silent',
    // The floor does the whole of the work each time.
    KEPT_PAGES_MB: '0',
  })
  const opened = await openContext(
    { ...config, databaseUrl: connection as never },
    createLog({ level: 'silent' }),
  )
  const app = await buildApp(opened.ctx)
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
  // The first request fills the caches and prepares statements; the second one is what every further one does.
  await send(request.body?.replaceAll('987654321', String(Date.now() % 1_000_000_000)))
  const statements: Statement[] = []
  const options = opened.ctx.sql.options as unknown as Options
  options.debug = (_connection, text, parameters) => statements.push({ text, parameters })
  const answer = await send(request.body)
  options.debug = false
  await app.close()
  await opened.close()
  if (answer.statusCode >= 300)
    throw new Error(`${request.method} ${request.path} answered ${answer.statusCode}`)
  return statements
}

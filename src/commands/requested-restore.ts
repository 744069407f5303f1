import { rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { endRequest, type RestoreRequest, readRequest, requestFile, writeRequest } from '#backup/request.ts'
import { messageOf } from '#lib/faults.ts'
import { founderPasswordFile } from '#modules/accounts/index.ts'
import { type Config, readConfig } from '#platform/config'
import { StartFault } from '#platform/start-fault.ts'
import { listenFault } from '#startup/start-checks.ts'
import { restore } from './backup.ts'
import type { Environment } from './context.ts'

const NOTICE = {
  en: 'This site is being restored from a backup.',
  zh: '正在从备份恢复站点。',
}

/** Answers while no server runs. An orchestrator must not kill a restore, so `/health/live` succeeds. */
async function serveNotice(config: Config): Promise<() => Promise<void>> {
  const server = createServer((request, response) => {
    const isLive = request.url?.startsWith('/health/live') === true
    const isPage = request.headers.accept?.includes('text/html') === true
    response.writeHead(isLive ? 200 : 503, {
      'Content-Type': isPage ? 'text/html; charset=utf-8' : 'application/json; charset=utf-8',
      'Cache-Control': 'no-store',
      Connection: 'close',
      ...(isLive ? {} : { 'Retry-After': '10', 'X-Error-Code': 'restoring' }),
    })
    response.end(
      isPage
        ? `<!doctype html><meta charset="utf-8"><title>503</title><p lang="en">${NOTICE.en}</p><p lang="zh">${NOTICE.zh}</p>`
        : JSON.stringify({ message: NOTICE.en }),
    )
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(listenFault(error, config)))
    server.listen({ host: config.host, port: config.port }, resolve)
  })
  return () => new Promise((resolve) => server.close(() => resolve()))
}

async function attempt(env: Environment, config: Config, request: RestoreRequest): Promise<void> {
  const { from } = request
  let hasBegun = request.begun === true
  if (request.tried && !hasBegun) {
    await endRequest(config, 'The restore was interrupted before it changed anything. Start it again.')
    return
  }
  await writeRequest(config, { ...request, tried: true })
  try {
    await restore(env, from, {
      force: true,
      onlyNew: true,
      onBegin: async () => {
        hasBegun = true
        await writeRequest(config, { from, tried: true, begun: true })
      },
    })
  } catch (error) {
    if (hasBegun)
      throw new StartFault(
        `The restore of ${from} failed: ${messageOf(error).replace(/[.\s]+$/, '')}. The next start tries it again. To restore another backup, run \`npx kith restore FILE --force\`.`,
        { cause: error },
      )
    await endRequest(config, messageOf(error).slice(0, 500))
    return
  }
  // The founder of the empty site is gone, and so is the account of this password.
  await rm(founderPasswordFile(config), { force: true })
  await endRequest(config, null)
}

/** Runs the restore that the console has requested, if any. Throws when the site can only start after another attempt. */
export async function restoreRequested(env: Environment): Promise<void> {
  const config = readConfig(env)
  const request = await readRequest(config).catch(async (error) => {
    // The file was damaged, so its content is unknown.
    await rm(requestFile(config), { force: true })
    throw error
  })
  if (!request) return
  const close = await serveNotice(config)
  try {
    await attempt(env, config, request)
  } finally {
    await close()
  }
}

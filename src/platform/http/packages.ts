import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Text } from '#platform/errors.ts'
import { addVary, language } from './caching.ts'
import { noSuchPath } from './error-reply.ts'
import type { Server } from './instance.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

export type PackageName = 'web' | 'console'

export const packageFolder = (name: PackageName): string => join(ROOT, name)

export const builtFolder = (name: PackageName): string => join(ROOT, name, 'dist')

const NOT_BUILT: Record<PackageName, Text> = {
  web: {
    en: 'The site is not built: run “npm run dev -- web” in its folder, or set WEB=off.',
    zh: '网站尚未构建：请在其目录中运行“npm run dev -- web”，或设置 WEB=off。',
  },
  console: {
    en: 'The console is not built: run “npm run dev -- console” in its folder, or set CONSOLE=off.',
    zh: '管理后台尚未构建：请在其目录中运行“npm run dev -- console”，或设置 CONSOLE=off。',
  },
}

export const sendNotBuilt = (name: PackageName, request: FastifyRequest, reply: FastifyReply): FastifyReply =>
  addVary(reply, 'Accept-Language')
    .code(503)
    .header('Cache-Control', 'no-cache')
    .type('text/plain; charset=utf-8')
    .send(`${NOT_BUILT[name][language(request)]}\n`)

/**
 * Adds `reply.sendFile`. Browsers cache the built files for a year, because every file name contains a hash.
 */
export async function addAssets(server: Server): Promise<void> {
  await server.register(fastifyStatic, {
    serve: false,
    preCompressed: true,
    index: false,
    immutable: true,
    maxAge: 31_536_000_000,
  })
}

/**
 * Sends a file of a built package from the `assets` folder in `folder`. `maxAge` in seconds replaces the year of
 * files whose address contains their hash.
 */
export function sendAsset(folder: string, file: string, reply: FastifyReply, maxAge?: number): FastifyReply {
  if (!/^[\w-][\w.-]*$/.test(file)) throw noSuchPath()
  if (maxAge === undefined) return reply.sendFile(file, join(folder, 'assets'))
  reply.header('Cache-Control', maxAge === 0 ? 'no-cache' : `public, max-age=${maxAge}`)
  return reply.sendFile(file, join(folder, 'assets'), { cacheControl: false })
}

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { apiError } from '#platform/errors.ts'
import { addVary } from '../cors.ts'
import { type Build, builtFolder, type PackageName, readBuilt } from './folder.ts'

const noSuchFile = apiError(404, 'no_such_path', 'There is nothing at this address.', '该地址不存在。')

const TYPES: Record<string, string> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
  woff2: 'font/woff2',
  json: 'application/json; charset=utf-8',
}

const ENCODINGS = [
  ['.br', 'br'],
  ['.gz', 'gzip'],
] as const

/** Returns a handler for the files of a build, which browsers keep forever because names have a hash. */
export function assetsOf(name: PackageName) {
  let built: Build | undefined
  return async (file: string, request: FastifyRequest, reply: FastifyReply) => {
    // A new build has a new index with other file names.
    if (!built?.files.includes(file)) built = readBuilt(name)
    if (!built?.files.includes(file)) throw noSuchFile()
    const accepted = String(request.headers['accept-encoding'] ?? '')
    const [suffix, encoding] = ENCODINGS.find(
      ([suffix, encoding]) => accepted.includes(encoding) && built?.files.includes(file + suffix),
    ) ?? ['', '']
    addVary(reply, 'Accept-Encoding')
      .type(TYPES[file.split('.').at(-1) ?? ''] ?? 'application/octet-stream')
      .header('Cache-Control', 'public, max-age=31536000, immutable')
    if (encoding) reply.header('Content-Encoding', encoding)
    return reply.send(await readFile(join(builtFolder(name), file + suffix)))
  }
}

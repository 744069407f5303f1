import { hasAbility } from '#modules/abilities/index.ts'
import type { Context } from '#platform/context.ts'
import { cookieOf } from '#platform/http'
import { badDownload } from './schema.ts'

/**
 * Permission to use one path outside the API. A cookie holds it, because an address would reach the logs of proxies and
 * the history of browsers.
 */
export type Grant = { cookie: string; path: string; seconds: number }

type Asked = Parameters<typeof cookieOf>[0]
type Answer = { header(name: string, value: string): unknown }

const signed = ({ path }: Grant, userId: number, expires: number) => `${path}\n${userId}\n${expires}`

export function setGrant(ctx: Context, reply: Answer, grant: Grant, userId: number): string {
  const { cookie, path, seconds } = grant
  const expires = Date.now() + seconds * 1000
  const value = `${userId}.${expires}.${ctx.secrets.sign(signed(grant, userId, expires))}`
  const secure = ctx.config.publicUrl.startsWith('https:') ? '; Secure' : ''
  reply.header(
    'Set-Cookie',
    `${cookie}=${value}; Path=${path}; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure}`,
  )
  return new Date(expires).toISOString()
}

/** Throws 403 without the cookie, after its time, and after the user lost the ability. */
export async function requireGrant(ctx: Context, request: Asked, grant: Grant): Promise<void> {
  const [, id, expires, signature = ''] =
    /^(\d{1,16})\.(\d{1,16})\.(.+)$/.exec(cookieOf(request, grant.cookie) ?? '') ?? []
  const isValid =
    ctx.secrets.verify(signed(grant, Number(id), Number(expires)), signature) && Number(expires) > Date.now()
  if (!isValid || !(await hasAbility(ctx, Number(id), 'admin: backups'))) throw badDownload()
}

import type { Context } from '#platform/context.ts'
import { invalidField } from '#platform/errors.ts'
import { isPublicAddress, literalAddress } from '#platform/outbound.ts'
import { addressNotPublic } from './errors.ts'

/**
 * Refuses what can never be sent to. Names are looked up when something is sent, because what they stand for may
 * change at any time.
 */
export function checkUrl(ctx: Context, text: string): void {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.username || url.password)
    throw invalidField('url', {
      en: 'The url field must be an http or https address without a name and password.',
      zh: 'url 必须是不含用户名和密码的 http 或 https 地址。',
    })
  if (ctx.config.webhooksAllowPrivate) return
  const literal = literalAddress(url)
  if (/(^|\.)(localhost|local|internal)\.?$/.test(url.hostname) || (literal && !isPublicAddress(literal)))
    throw addressNotPublic()
}

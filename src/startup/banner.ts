import { existsSync } from 'node:fs'
import { founderPasswordPath } from '#modules/accounts/index.ts'
import type { Context } from '#platform/context.ts'
import { VERSION } from '#platform/version.ts'

/** Shows the password of a new founder on a terminal only, because other outputs end in logs. */
export function banner(ctx: Context, founder: { name: string; password?: string } | undefined): string {
  const { publicUrl, founderName } = ctx.config
  const path = founderPasswordPath(ctx)
  const kept = existsSync(path)
  const administrator = kept
    ? [
        `  Administrator   ${founderName}`,
        `  Password        ${founder?.password && process.stdout.isTTY ? `${founder.password}, also ` : ''}in ${path}`,
      ]
    : founder
      ? [`  Administrator   ${founder.name}, with the password from FOUNDER_PASSWORD`]
      : []
  const login = `{"login":"${founderName}","password":"'"$(cat '${path}')"'"}`
  const line = kept
    ? `curl -s -w '\\n' ${publicUrl}/api/v2/auth/login -H 'Content-Type: application/json' -d '${login}'`
    : `curl -s -w '\\n' ${publicUrl}/api/v2/bootstrappers`
  return [
    '',
    `Kith ${VERSION} is running at ${publicUrl}`,
    '',
    ...administrator,
    ...(ctx.config.console ? [`  Console         ${publicUrl}/admin`] : []),
    `  Read and try    ${publicUrl}/docs`,
    `  First request   ${line}`,
    '',
    '',
  ].join('\n')
}

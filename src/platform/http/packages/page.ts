import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '#platform/config.ts'
import type { Language, Text } from '#platform/errors.ts'
import { language } from '../error-reply.ts'
import { hasSources, type PackageName } from './folder.ts'
import { type Progress, readProgress } from './progress.ts'

const NAMES: Record<PackageName, Text> = {
  web: { en: 'The site', zh: '网站' },
  console: { en: 'The console', zh: '控制台' },
}

const PHASES: Record<Progress['phase'], (name: Text) => Text> = {
  waiting: ({ en, zh }) => ({ en: `${en} will be built in a moment.`, zh: `${zh}即将开始构建。` }),
  installing: ({ en, zh }) => ({
    en: `${en}: packages are being installed (step 1 of 2).`,
    zh: `正在安装${zh}的软件包（第 1 步，共 2 步）。`,
  }),
  building: ({ en, zh }) => ({
    en: `${en} is being built (step 2 of 2).`,
    zh: `正在构建${zh}（第 2 步，共 2 步）。`,
  }),
  failed: ({ en, zh }) => ({ en: `${en} could not be built.`, zh: `${zh}构建失败。` }),
}

const WAIT: Text = {
  en: 'This happens once, in the background. The page opens by itself when it is done; the API answers already.',
  zh: '此过程仅需一次，在后台进行。完成后页面会自动打开；API 现已可用。',
}
const RETRY: Record<PackageName, Text> = {
  web: {
    en: 'It is tried again by itself after some minutes, or at once by “npm run web” in the folder of Kith. WEB=off turns the site off.',
    zh: '几分钟后会自动重试；也可在 Kith 目录中运行“npm run web”立即重试。设置 WEB=off 可关闭网站。',
  },
  console: {
    en: 'It is tried again by itself after some minutes, or at once by “npm run console” in the folder of Kith. CONSOLE=off turns the console off.',
    zh: '几分钟后会自动重试；也可在 Kith 目录中运行“npm run console”立即重试。设置 CONSOLE=off 可关闭控制台。',
  },
}

const STYLE = `
:root { color-scheme: light dark; --ink: #1d2b29; --paper: #f5f8f7; --quiet: #55706b; --mark: #1d8a7d }
@media (prefers-color-scheme: dark) { :root { --ink: #e6efed; --paper: #101716; --quiet: #9ab3ae; --mark: #5fd0c0 } }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; background: var(--paper); color: var(--ink);
  font: 16px/1.6 system-ui, sans-serif }
main { max-width: 32rem; padding: 2rem }
h1 { font-size: 1.5rem; margin: 0 0 .5rem } p { margin: .5rem 0; color: var(--quiet) } p.state { color: var(--ink) }
pre { white-space: pre-wrap; overflow-wrap: anywhere; font-size: .875rem; border-inline-start: 3px solid var(--mark); padding-inline-start: .75rem }
`

const escaped = (text: string) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`)

/** The page of a package until it is built. It reloads itself without a script. */
export function progressPage(
  name: PackageName,
  { phase, reason }: Progress,
  language: Language,
  nonce: string,
): string {
  const failed = phase === 'failed'
  return `<!doctype html>
<html lang="${language === 'zh' ? 'zh-CN' : 'en'}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="refresh" content="${failed ? 15 : 3}">
<title>Kith</title>
<style nonce="${nonce}">${STYLE}</style>
</head>
<body>
<main>
<h1>Kith</h1>
<p class="state" role="status">${PHASES[phase](NAMES[name])[language]}</p>
${reason ? `<pre>${escaped(reason)}</pre>` : ''}
<p>${(failed ? RETRY[name] : WAIT)[language]}</p>
</main>
</body>
</html>
`
}

/** Replies with the progress of a build. */
export function sendProgress(
  name: PackageName,
  config: Config,
  { request, reply, nonce }: { request: FastifyRequest; reply: FastifyReply; nonce: string },
): FastifyReply {
  const progress: Progress = hasSources(name)
    ? readProgress(config.dataDir, name)
    : { phase: 'failed', reason: 'This release does not carry it.' }
  return reply
    .code(503)
    .header('Retry-After', 3)
    .type('text/html; charset=utf-8')
    .send(progressPage(name, progress, language(request), nonce))
}

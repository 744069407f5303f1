import type { Language, Text } from '#platform/errors.ts'
import type { Progress } from './progress.ts'

const PHASES: Record<Progress['phase'], Text> = {
  waiting: { en: 'The console will be built in a moment.', zh: '控制台即将开始构建。' },
  installing: {
    en: "The console's packages are being installed (step 1 of 2).",
    zh: '正在安装控制台的软件包（第 1 步，共 2 步）。',
  },
  building: { en: 'The console is being built (step 2 of 2).', zh: '正在构建控制台（第 2 步，共 2 步）。' },
  failed: { en: 'The console could not be built.', zh: '控制台构建失败。' },
}

const NOTES: Record<'wait' | 'retry', Text> = {
  wait: {
    en: 'This happens once, in the background. The page opens by itself when it is done; the API answers already.',
    zh: '此过程仅需一次，在后台进行。完成后页面会自动打开；API 现已可用。',
  },
  retry: {
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

/** What /admin shows until the console is built; it asks again by itself, without any script. */
export function progressPage({ phase, reason }: Progress, language: Language, nonce: string): string {
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
<p class="state" role="status">${PHASES[phase][language]}</p>
${reason ? `<pre>${escaped(reason)}</pre>` : ''}
<p>${NOTES[failed ? 'retry' : 'wait'][language]}</p>
</main>
</body>
</html>
`
}

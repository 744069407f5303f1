import type { Letter } from '#platform/mail.ts'

type Parts = Pick<Letter, 'subject' | 'text' | 'code' | 'link'>

const escaped = (text: string) => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)

/** What a mail says, with the page that it leads to. */
export const mailText = ({ text, link }: Parts): string => (link === undefined ? text : `${text}\n\n${link}`)

/** Chinese and English one below the other where a sentence of the one is followed by the other. */
const paragraphsOf = (text: string) => text.split(/\n{2,}|(?<=[。！？]) (?=[A-Z])/)

/** In which language a paragraph is: it is set and read aloud by that. */
const languageOf = (text: string) => (/\p{Script=Han}/u.test(text) ? 'zh' : 'en')

/**
 * The same as a page: nothing in it is loaded from anywhere, and styles stand on the elements, because mail programs drop
 * everything else.
 */
export function mailHtml({ subject, text, code, link }: Parts): string {
  const heading = escaped(subject.replace(/\s+/g, ' '))
  const shown = paragraphsOf(text).map((part) => {
    const said = escaped(part).replaceAll('\n', '<br>')
    return code === undefined ? said : said.replace(escaped(code), `<strong>${escaped(code)}</strong>`)
  })
  const big =
    code === undefined
      ? ''
      : `<p style="margin:24px 0 0;font-size:32px;letter-spacing:6px;font-weight:600">${escaped(code)}</p>`
  const lead =
    link === undefined
      ? ''
      : `<p style="margin:24px 0 0"><a href="${escaped(link)}" style="color:#0b6b60">${escaped(link)}</a></p>`
  return `<!doctype html>
<html>
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${heading}</title></head>
<body style="margin:0;padding:24px;background:#f4f6f6;color:#1d2424;font:16px/1.6 system-ui,-apple-system,'Segoe UI',sans-serif">
<div style="max-width:520px;margin:0 auto;padding:28px 32px;background:#ffffff;border-radius:12px">
<h1 style="margin:0 0 16px;font-size:20px;line-height:1.4">${heading}</h1>
${shown.map((part) => `<p lang="${languageOf(part)}" style="margin:0 0 12px">${part}</p>`).join('\n')}
${big}${lead}
</div>
</body>
</html>
`
}

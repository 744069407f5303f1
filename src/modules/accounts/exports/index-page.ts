import type { Language } from '#platform/errors.ts'

/** A file of the archive in its index. */
export type Listed = { path: string; about: { en: string; zh: string }; rows: number }

export type ArchiveIndex = {
  site: string
  account: { id: number; name: string }
  madeAt: string
  language: Language
  listed: Listed[]
  files: number
  /** Uploads without bytes in the archive, because of the size limit or because the store has lost them. */
  leftOut: number
}

const TEXTS = {
  en: {
    title: (name: string) => `The data of ${name}`,
    made: (site: string, time: string) => `From ${site}, made on ${time} (UTC).`,
    what: 'Each file is a JSON list of the entries described below. Times are in UTC. index.json is the same index for programs.',
    files: (count: number) =>
      `Files that you uploaded are in the folders files and pictures: ${count} of them. uploads.json and pictures.json say which is which.`,
    leftOut: (count: number) =>
      `${count} more are not in the archive, because they are lost or there was no room: uploads.json and pictures.json say which (left_out).`,
    others:
      'Not included: passwords, codes and tokens, and data about others: who reported you, which moderator decided, the authors of anonymous answers that you paid for, and chat messages, which the chat provider stores.',
    columns: ['File', 'What it holds', 'Entries'],
  },
  zh: {
    title: (name: string) => `${name} 的数据`,
    made: (site: string, time: string) => `来自 ${site}，生成于 ${time}（UTC）。`,
    what: '每个文件均为 JSON 列表，内容见下表。时间均为 UTC。index.json 是供程序读取的同一份目录。',
    files: (count: number) =>
      `您上传的文件在 files 与 pictures 文件夹中，共 ${count} 个，对应关系见 uploads.json 与 pictures.json。`,
    leftOut: (count: number) =>
      `另有 ${count} 个文件因已丢失或空间不足未包含在内，见 uploads.json 与 pictures.json 的 left_out。`,
    others:
      '不包含：密码、验证码与令牌，以及涉及他人的信息：谁举报了您、由哪位管理员处理、您付费查看的匿名回答的作者，以及由即时通讯服务商保存的聊天内容。',
    columns: ['文件', '内容', '条数'],
  },
}

const STYLE =
  'body{font:16px/1.6 system-ui,sans-serif;max-width:48em;margin:2em auto;padding:0 1em}td,th{text-align:left;padding:.2em 1em .2em 0}td:last-child{text-align:right}'

const escaped = (text: string) => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)

/** Human-readable index of an archive, in the user's language. */
export function indexPage({ site, account, madeAt, language, listed, files, leftOut }: ArchiveIndex): string {
  const text = TEXTS[language]
  const title = escaped(text.title(account.name))
  const rows = listed.map(
    ({ path, about, rows }) =>
      `<tr><td><a href="${path}">${path}</a></td><td>${escaped(about[language])}</td><td>${rows}</td></tr>`,
  )
  const said = [
    text.made(site, madeAt.slice(0, 19).replace('T', ' ')),
    text.what,
    ...(files > 0 ? [text.files(files)] : []),
    ...(leftOut > 0 ? [text.leftOut(leftOut)] : []),
    text.others,
  ]
  return `<!doctype html>
<html lang="${language}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<style>${STYLE}</style>
<h1>${title}</h1>
${said.map((each) => `<p>${escaped(each)}</p>`).join('\n')}
<table>
<tr>${text.columns.map((each) => `<th>${each}</th>`).join('')}</tr>
${rows.join('\n')}
</table>
</html>
`
}

/** Machine-readable index of an archive. */
export const indexData = ({ site, account, madeAt, language, listed, files, leftOut }: ArchiveIndex) => ({
  format: 1,
  site,
  account,
  made_at: madeAt,
  language,
  lists: listed.map(({ path, about, rows }) => ({ path, about: about[language], rows })),
  files,
  files_left_out: leftOut,
})

import { createReadStream, createWriteStream } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { finished, pipeline } from 'node:stream/promises'
import { ZipFile } from 'yazl'
import { type PersonalDataReader, type PersonalTable, readPersonal } from '#contracts/personal-data.ts'
import { escapeMarkup } from '#lib/markup/html.ts'
import { readSiteName } from '#modules/settings/index.ts'
import type { Context } from '#platform/context.ts'
import type { Language } from '#platform/errors.ts'
import { StorageError } from '#platform/files'

type Listed = { path: string; about: { en: string; zh: string }; rows: number }

type ArchiveIndex = {
  /** Name of the site. */
  name: string
  site: string
  account: { id: number; name: string }
  madeAt: string
  language: Language
  listed: Listed[]
  files: number
  /** Number of uploads listed without their file, because of the size limit or a missing stored file. */
  leftOut: number
}

const TEXTS = {
  en: {
    title: (name: string) => `The data of ${name}`,
    made: (name: string, site: string, time: string) => `Exported from ${name} (${site}) on ${time} (UTC).`,
    what: 'Each file is a JSON list of the entries described below. Times are in UTC. index.json is the same index for programs.',
    files: (count: number) =>
      `The folders files and pictures contain your uploads (${count}). uploads.json and pictures.json describe each file.`,
    leftOut: (count: number) =>
      `The archive omits ${count} files that are lost or exceed the size limit. uploads.json and pictures.json mark them as left_out.`,
    others:
      'Not included: passwords, codes and tokens, chat messages stored by the chat provider, and data about other users: reporters, the moderators who decided, and the authors of anonymous answers that you paid for.',
    columns: ['File', 'Contents', 'Entries'],
  },
  zh: {
    title: (name: string) => `${name} 的数据`,
    made: (name: string, site: string, time: string) => `导出自 ${name}（${site}），时间 ${time}（UTC）。`,
    what: '每个文件都是一个 JSON 列表，内容见下表，时间均为 UTC。index.json 是同一份目录，供程序读取。',
    files: (count: number) =>
      `files 和 pictures 文件夹中是您上传的文件，共 ${count} 个，说明见 uploads.json 和 pictures.json。`,
    leftOut: (count: number) =>
      `另有 ${count} 个文件因丢失或超出大小限制未导出，在 uploads.json 和 pictures.json 中标为 left_out。`,
    others:
      '导出的数据不含密码、验证码和令牌，不含即时通讯服务商保存的聊天消息，也不含他人的信息，例如举报人、处理举报的管理员，以及您付费围观的匿名回答的作者。',
    columns: ['文件', '内容', '条数'],
  },
}

const STYLE =
  'body{font:16px/1.6 system-ui,sans-serif;max-width:48em;margin:2em auto;padding:0 1em}td,th{text-align:left;padding:.2em 1em .2em 0}td:last-child{text-align:right}'

function indexPage({ name, site, account, madeAt, language, listed, files, leftOut }: ArchiveIndex): string {
  const text = TEXTS[language]
  const title = escapeMarkup(text.title(account.name))
  const rows = listed.map(
    ({ path, about, rows }) =>
      `<tr><td><a href="${path}">${path}</a></td><td>${escapeMarkup(about[language])}</td><td>${rows}</td></tr>`,
  )
  const said = [
    text.made(name, site, madeAt.slice(0, 19).replace('T', ' ')),
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
${said.map((each) => `<p>${escapeMarkup(each)}</p>`).join('\n')}
<table>
<tr>${text.columns.map((each) => `<th>${each}</th>`).join('')}</tr>
${rows.join('\n')}
</table>
</html>
`
}

const indexData = ({ name, site, account, madeAt, language, listed, files, leftOut }: ArchiveIndex) => ({
  format: 1,
  site,
  site_name: name,
  account,
  made_at: madeAt,
  language,
  lists: listed.map(({ path, about, rows }) => ({ path, about: about[language], rows })),
  files,
  files_left_out: leftOut,
})

type Archive = { size: number; rows: number; files: number }

type Wanted = {
  path: string
  account: { id: number; name: string }
  language: PersonalDataReader['language']
  /**
   * Maximum total bytes of the uploaded files in the archive. Uploads that do not fit are listed without
   * their file.
   */
  bytesLimit: number
  signal: AbortSignal
}

function openZip(path: string, signal: AbortSignal) {
  const zip = new ZipFile()
  const output = zip.outputStream as Readable
  const written = pipeline(output, createWriteStream(path, { mode: 0o600 }), { signal })
  const broken = new Promise<never>((_resolve, reject) => {
    zip.once('error', reject)
    written.catch(reject)
  })
  broken.catch(() => {})
  const mtime = new Date()
  return {
    async add(name: string, content: Readable, compress: boolean): Promise<void> {
      try {
        const isRead = finished(content)
        zip.addReadStream(content, name, { compress, mtime, mode: 0o100600 })
        await Promise.race([broken, isRead])
      } catch (error) {
        output.destroy()
        throw signal.aborted ? signal.reason : error
      } finally {
        content.destroy()
      }
    },
    async end(): Promise<number> {
      zip.end()
      await written.catch((error) => {
        throw signal.aborted ? signal.reason : error
      })
      return (await stat(path)).size
    },
    close: () => void output.destroy(),
  }
}

async function* jsonList(
  pages: AsyncIterable<object[]>,
  onRows: (count: number) => void,
): AsyncGenerator<string> {
  let count = 0
  yield '['
  for await (const rows of pages) {
    const text = rows.map((row) => JSON.stringify(row)).join(',\n')
    if (text !== '') yield `${count === 0 ? '\n' : ',\n'}${text}`
    count += rows.length
  }
  onRows(count)
  yield '\n]\n'
}

/** Writes the archive. Holds at most a page of rows and a chunk of a file in memory. */
export async function writeArchive(
  ctx: Context,
  tables: readonly PersonalTable[],
  { path, account, language, bytesLimit, signal }: Wanted,
): Promise<Archive> {
  const reader = { userId: account.id, language }
  const zip = openZip(path, signal)
  const index: ArchiveIndex = {
    name: await readSiteName(ctx, language),
    site: ctx.config.publicUrl,
    account,
    madeAt: new Date().toISOString(),
    language,
    listed: [],
    files: 0,
    leftOut: 0,
  }
  let room = bytesLimit

  async function addBytes({ key, path: name, size }: { key: string; path: string; size: number }) {
    if (size > room) return 'no room'
    try {
      const { stream } = await ctx.storage.open(key)
      await zip.add(name, stream, false)
    } catch (error) {
      if (error instanceof StorageError && error.fault === 'missing') return 'lost'
      throw error
    }
    room -= size
    return undefined
  }

  async function* withBytes(pages: ReturnType<typeof readPersonal>): AsyncGenerator<object[]> {
    for await (const rows of pages) {
      const told: object[] = []
      for (const { shown, bytes } of rows) {
        signal.throwIfAborted()
        const reason = bytes && (await addBytes(bytes))
        if (bytes) index[reason === undefined ? 'files' : 'leftOut'] += 1
        told.push(
          bytes === undefined
            ? shown
            : {
                ...shown,
                ...(reason === undefined ? { path: bytes.path } : { path: null, left_out: reason }),
              },
        )
      }
      yield told
    }
  }

  async function* shownOf(pages: ReturnType<typeof readPersonal>): AsyncGenerator<object[]> {
    for await (const rows of pages) {
      signal.throwIfAborted()
      yield rows.map(({ shown }) => shown)
    }
  }

  try {
    for (const table of tables) {
      const listed: Listed = { path: `${table.file}.json`, about: table.about, rows: 0 }
      const onRows = (count: number) => {
        listed.rows = count
      }
      const pages = readPersonal(ctx, table, reader)
      if (table.bytes) {
        // Writes the list of uploads to a draft file. A zip archive can have only one open entry, and the
        // uploads are added while their list is generated.
        const draft = join(dirname(path), listed.path)
        const file = await open(draft, 'wx', 0o600)
        await pipeline(jsonList(withBytes(pages), onRows), file.createWriteStream())
        await zip.add(listed.path, createReadStream(draft), true)
      } else await zip.add(listed.path, Readable.from(jsonList(shownOf(pages), onRows)), true)
      index.listed.push(listed)
    }
    await zip.add('index.json', Readable.from([`${JSON.stringify(indexData(index), null, 2)}\n`]), true)
    await zip.add('index.html', Readable.from([indexPage(index)]), true)
    const size = await zip.end()
    return { size, files: index.files, rows: index.listed.reduce((sum, { rows }) => sum + rows, 0) }
  } catch (error) {
    zip.close()
    throw error
  }
}

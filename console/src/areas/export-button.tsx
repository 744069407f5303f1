import Download from '@mui/icons-material/DownloadOutlined'
import { useState } from 'react'
import { Button, useListContext, useNotify } from 'react-admin'
import type { Wire } from '../api/client.ts'
import { dataProvider } from '../api/data-provider.ts'
import { messageOf } from '../api/message.ts'
import { useText } from '../shell/text.ts'
import { valueAt } from '../shell/value.tsx'
import type { Area } from './area.ts'

/** What one export holds at most; more is a matter of the database. */
const ROWS_MAX = 10_000
const AT_ONCE = 100

/** Saves what the list shows, filters and order included, as a table that spreadsheets open. */
export function ExportButton({ area }: { area: Area }) {
  const t = useText()
  const notify = useNotify()
  const { filterValues, sort, total } = useListContext()
  const [done, setDone] = useState<number | null>(null)
  const save = async () => {
    setDone(0)
    try {
      const rows: Wire[] = []
      for (let page = 1; rows.length < ROWS_MAX; page += 1) {
        const { data } = await dataProvider.getList(area.name, {
          pagination: { page, perPage: AT_ONCE },
          sort,
          filter: filterValues,
        })
        rows.push(...(data as Wire[]))
        setDone(rows.length)
        if (data.length < AT_ONCE || area.isPlain) break
      }
      const columns = [
        ...(area.columns.some(({ name }) => name === 'id')
          ? []
          : [{ name: 'id', label: ['Id', '编号'] as const }]),
        ...area.columns,
      ]
      const lines = [
        columns.map(({ label }) => t(label)),
        ...rows.map((row) =>
          columns.map((column) =>
            told('from' in column && column.from ? column.from(row, t) : valueAt(row, column.name)),
          ),
        ),
      ]
      // The mark at the beginning tells spreadsheets that it is UTF-8.
      const text = `\uFEFF${lines.map((line) => line.map(quoted).join(',')).join('\r\n')}\r\n`
      const link = document.createElement('a')
      link.href = URL.createObjectURL(new Blob([text], { type: 'text/csv;charset=utf-8' }))
      link.download = `${area.name}-${new Date().toISOString().slice(0, 10)}.csv`
      link.click()
      setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
      if (rows.length >= ROWS_MAX)
        notify(t([`The first ${ROWS_MAX} were saved.`, `已导出前 ${ROWS_MAX} 条。`]), { type: 'warning' })
    } catch (error) {
      notify(messageOf(error), { type: 'error' })
    } finally {
      setDone(null)
    }
  }
  return (
    <Button
      label={done === null ? t(['Export', '导出']) : t([`Exporting… ${done}`, `导出中… ${done}`])}
      disabled={done !== null || !total}
      onClick={() => void save()}
    >
      <Download />
    </Button>
  )
}

/** A value as one cell: people and the like by their names. */
function told(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value)) return value.map(told).join('; ')
  if (typeof value === 'object') {
    const { name, id, url } = value as { name?: unknown; id?: unknown; url?: unknown }
    return String(name ?? url ?? id ?? JSON.stringify(value))
  }
  return String(value)
}

/** A cell; what a spreadsheet would take for a formula is a text. */
function quoted(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) && !/^-?\d+(\.\d+)?$/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

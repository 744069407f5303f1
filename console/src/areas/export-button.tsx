import Download from '@mui/icons-material/DownloadOutlined'
import { useState } from 'react'
import { Button, useListContext, useNotify } from 'react-admin'
import type { Wire } from '../api/client.ts'
import { dataProvider } from '../api/data-provider.ts'
import { messageOf } from '../api/message.ts'
import { codeOf, plainAmount } from '../shell/money.ts'
import { useText } from '../shell/text.ts'
import { type AmountShown, currencyOf, isAmount, valueAt } from '../shell/value.tsx'
import type { Area } from './area.ts'
import { csvOf } from './csv.ts'

const ROWS_MAX = 10_000
const AT_ONCE = 100

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
          : [{ name: 'id', label: ['ID', '编号'] as const }]),
        ...area.columns,
      ]
      const lines = [
        columns.map(({ label }) => t(label)),
        ...rows.map((row) =>
          columns.map((column) =>
            'as' in column && isAmount(column.as)
              ? toldAmount(valueAt(row, column.name), column.as, row)
              : told('from' in column && column.from ? column.from(row, t) : valueAt(row, column.name)),
          ),
        ),
      ]
      const link = document.createElement('a')
      link.href = URL.createObjectURL(new Blob([csvOf(lines)], { type: 'text/csv;charset=utf-8' }))
      link.download = `${area.name}-${new Date().toISOString().slice(0, 10)}.csv`
      link.click()
      setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
      if (rows.length >= ROWS_MAX)
        notify(t([`Only the first ${ROWS_MAX} rows were exported.`, `仅导出了前 ${ROWS_MAX} 条。`]), {
          type: 'warning',
        })
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

function toldAmount(value: unknown, as: AmountShown, row: Wire): string {
  if (typeof value !== 'number') return ''
  const currency = currencyOf(as, row)
  return `${plainAmount(value, currency)} ${currency === 'points' ? 'points' : codeOf(currency)}`
}

function told(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value)) return value.map(told).join('; ')
  if (typeof value === 'object') {
    const { name, id, url } = value as { name?: unknown; id?: unknown; url?: unknown }
    return String(name ?? url ?? id ?? JSON.stringify(value))
  }
  return String(value)
}

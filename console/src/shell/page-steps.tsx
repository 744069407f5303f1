import { TablePagination } from '@mui/material'
import { useText } from './text.ts'

export function PageSteps({
  count,
  page,
  atOnce,
  onChange,
}: {
  count: number
  page: number
  atOnce: number
  onChange(page: number): void
}) {
  const t = useText()
  return (
    <TablePagination
      component="div"
      count={count}
      page={page}
      rowsPerPage={atOnce}
      rowsPerPageOptions={[atOnce]}
      onPageChange={(_, next) => onChange(next)}
      getItemAriaLabel={(type) =>
        t([
          `Go to the ${type} page`,
          { first: '第一页', last: '最后一页', next: '下一页', previous: '上一页' }[type],
        ])
      }
      labelDisplayedRows={({ from, to, count }) =>
        t([`${from}–${to} of ${count}`, `第 ${from}–${to} 项，共 ${count} 项`])
      }
    />
  )
}

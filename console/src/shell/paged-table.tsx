import { Box, Skeleton, Table, TableBody, TableCell, TableHead, TableRow } from '@mui/material'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type ComponentProps, type ReactNode, useState } from 'react'
import { call, type Page, type Wire } from '../api/client.ts'
import { PageSteps } from './page-steps.tsx'
import { EmptyState, ErrorState } from './states.tsx'
import { type Text, useText } from './text.ts'

export type Heading = {
  label: Text
  cell: (row: Wire) => ReactNode
  align?: 'right'
  isWhole?: boolean
  tone?: (row: Wire) => string
}

export function usePages(key: readonly unknown[], path: string, atOnce: number, refetchInterval?: number) {
  const [page, setPage] = useState(0)
  const answer = useQuery({
    queryKey: [...key, page],
    queryFn: () => call<Page>('GET', path, { query: { page: page + 1, limit: atOnce } }),
    placeholderData: keepPreviousData,
    ...(refetchInterval === undefined ? {} : { refetchInterval }),
  })
  return { answer, page, setPage, atOnce }
}

export function PagedTable({
  pages: { answer, page, setPage, atOnce },
  label,
  headings,
  empty,
}: {
  pages: ReturnType<typeof usePages>
  label: Text
  headings: readonly Heading[]
  empty: ComponentProps<typeof EmptyState>
}) {
  const t = useText()
  const { data, error, isPending, refetch } = answer
  const aligned = ({ align }: Heading) => (align ? { align } : {})
  return (
    <>
      {error && <ErrorState error={error} retry={() => void refetch()} />}
      {isPending && <Skeleton variant="rounded" height={160} />}
      {data?.total === 0 && <EmptyState {...empty} />}
      {data && data.total > 0 && (
        <Box sx={{ overflowX: 'auto' }}>
          <Table size="small" aria-label={t(label)}>
            <TableHead>
              <TableRow>
                {headings.map((heading) => (
                  <TableCell key={heading.label[0]} {...aligned(heading)}>
                    {t(heading.label)}
                  </TableCell>
                ))}
              </TableRow>
            </TableHead>
            <TableBody>
              {data.data.map((row) => (
                <TableRow key={String(row.id)}>
                  {headings.map((heading) => (
                    <TableCell
                      key={heading.label[0]}
                      {...aligned(heading)}
                      sx={{
                        ...(heading.isWhole ? { whiteSpace: 'nowrap' } : {}),
                        ...(heading.tone ? { color: heading.tone(row) } : {}),
                      }}
                    >
                      {heading.cell(row)}
                    </TableCell>
                  ))}
                </TableRow>
              ))}
            </TableBody>
          </Table>
          <PageSteps count={data.total} page={page} atOnce={atOnce} onChange={setPage} />
        </Box>
      )}
    </>
  )
}

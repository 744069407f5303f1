import { Box, Typography, useMediaQuery } from '@mui/material'
import type { ReactElement } from 'react'
import {
  CreateButton,
  DataTable,
  FilterButton,
  List,
  Pagination,
  SearchInput,
  TopToolbar,
  useCanAccess,
  useListContext,
} from 'react-admin'
import { Link } from 'react-router'
import type { Wire } from '../api/client.ts'
import { EmptyState, ErrorState } from '../shell/states.tsx'
import { useText } from '../shell/text.ts'
import { isAmount, Value, valueAt } from '../shell/value.tsx'
import type { Area, Column } from './area.ts'
import { inSentence } from './area-parts.ts'
import { isReadAlone } from './areas.ts'
import { ExportButton } from './export-button.tsx'
import { inputOf } from './inputs.tsx'
import { RowActions } from './row-actions.tsx'

const openedBy = (area: Area, mayEdit: boolean): 'show' | 'edit' | false => {
  if (!area.detail && mayEdit && area.fields?.some(({ only }) => only !== 'new')) return 'edit'
  return isReadAlone(area) ? 'show' : false
}

export function AreaList({ area }: { area: Area }) {
  const t = useText()
  const { canAccess: mayEdit = false } = useCanAccess({ resource: area.name, action: 'edit' })
  const filters: ReactElement[] = [
    ...(area.hasSearch
      ? [
          <SearchInput
            key="q"
            source="q"
            alwaysOn
            slotProps={{ htmlInput: { 'aria-label': t(['Search', '搜索']) } }}
          />,
        ]
      : []),
    ...(area.filters ?? []).map((field) => inputOf(field, t, { isFilter: true })),
  ]
  const creates = area.fields?.some(({ only }) => only !== 'known') ?? false
  return (
    <>
      <Typography variant="h4" component="h1" sx={{ pt: 2 }}>
        {t(area.label)}
      </Typography>
      <List
        resource={area.name}
        title={t(area.label)}
        filters={filters}
        sort={{ field: 'id', order: 'DESC' }}
        perPage={area.isPlain ? 100 : 25}
        pagination={area.isPlain ? false : <Pagination rowsPerPageOptions={[15, 25, 50, 100]} />}
        exporter={false}
        empty={false}
        storeKey={`list.${area.name}`}
        actions={
          <TopToolbar>
            {(area.filters?.length ?? 0) > 0 && <FilterButton />}
            <ExportButton area={area} />
            {creates && area.name !== 'groups' && (
              <CreateButton label={t([`New ${area.noun[0]}`, `新建${area.noun[1]}`])} />
            )}
          </TopToolbar>
        }
        sx={{
          // Lets a wide table scroll, so that the page does not scroll sideways.
          '& .RaList-main': { minWidth: 0 },
          '& .RaList-content': { border: 1, borderColor: 'divider', overflowX: 'auto' },
          '& .MuiTableCell-root': { px: { xs: 1, sm: 2 } },
          '& .MuiTableCell-head': { whiteSpace: 'nowrap' },
        }}
      >
        <Table area={area} mayEdit={mayEdit} />
      </List>
    </>
  )
}

function Table({ area, mayEdit }: { area: Area; mayEdit: boolean }) {
  const t = useText()
  const isSmall = useMediaQuery('(max-width: 700px)')
  const { error, refetch, total, isPending, filterValues } = useListContext()
  if (error) return <ErrorState error={error} retry={() => void refetch()} />
  if (!isPending && total === 0)
    return Object.keys(filterValues).length > 0 ? (
      <EmptyState text={['No matching results.', '没有符合条件的结果。']} />
    ) : (
      <EmptyState
        icon={area.icon}
        text={[`No ${inSentence(area.label[0])} yet.`, `暂无${area.label[1]}。`]}
        note={area.emptyNote}
      />
    )
  const columns = area.columns.filter(({ wide }) => !(isSmall && wide))
  const opens = openedBy(area, mayEdit)
  const linked = columns.find(
    ({ name, as = 'text' }) => name !== 'id' && ['text', 'long', 'code'].includes(as),
  )
  return (
    <DataTable rowClick={opens} bulkActionButtons={false} hover>
      {columns.map((column) => (
        <DataTable.Col
          key={column.name}
          source={column.name}
          label={t(column.label)}
          disableSort={!area.sorts?.includes(column.name)}
          align={column.as === 'number' || isAmount(column.as) ? 'right' : 'left'}
          render={(row: Wire) =>
            opens && column === linked && !column.choices ? (
              <Box
                component={Link}
                to={`/${area.name}/${encodeURIComponent(String(row.id))}${opens === 'show' ? '/show' : ''}`}
                onClick={(event) => event.stopPropagation()}
                sx={{
                  color: 'text.primary',
                  fontWeight: 600,
                  textDecorationColor: 'transparent',
                  '&:hover': { textDecorationColor: 'currentcolor' },
                }}
              >
                <Cell column={column} row={row} />
              </Box>
            ) : (
              <Cell column={column} row={row} />
            )
          }
        />
      ))}
      {((area.deeds?.length ?? 0) > 0 || area.deletes !== false) && (
        <DataTable.Col
          source="actions"
          disableSort
          label={t(['Actions', '操作'])}
          align="right"
          render={(row: Wire) => <RowActions area={area} row={row} />}
        />
      )}
    </DataTable>
  )
}

function Cell({ column, row }: { column: Column; row: Wire }) {
  const t = useText()
  const value = (
    <Value
      value={column.from ? column.from(row, t) : valueAt(row, column.name)}
      as={column.as ?? 'text'}
      row={row}
      {...(column.choices ? { choices: column.choices } : {})}
    />
  )
  if (column.as === 'time') return <span style={{ whiteSpace: 'nowrap' }}>{value}</span>
  return column.as === 'long' ? <Box sx={{ minWidth: '7em' }}>{value}</Box> : value
}

import { Box, Card, CardContent, Typography } from '@mui/material'
import { lazy } from 'react'
import { EditButton, Show, TopToolbar, useCanAccess, useRecordContext } from 'react-admin'
import type { Wire } from '../api/client.ts'
import { useText } from '../shell/text.ts'
import { Value, valueAt } from '../shell/value.tsx'
import type { Area, Column } from './area.ts'
import { RecordTitle } from './area-form.tsx'
import { Gone, QUIET } from './gone.tsx'
import { memberText, plainText } from './member-text.ts'
import { Rendered } from './rendered.tsx'
import { RowActions } from './row-actions.tsx'
import { TextView } from './text-tree.tsx'

const DETAILS = {
  person: lazy(() =>
    import('../pages/person/person-page.tsx').then((page) => ({ default: page.PersonPage })),
  ),
  feed: lazy(() => import('../pages/feed-comments.tsx').then((page) => ({ default: page.FeedComments }))),
  webhook: lazy(() => import('../pages/webhook-page.tsx').then((page) => ({ default: page.WebhookPage }))),
}

export function AreaShow({ area }: { area: Area }) {
  const Detail = DETAILS[area.detail as keyof typeof DETAILS]
  return (
    <Show
      resource={area.name}
      title={<RecordTitle area={area} />}
      actions={<Actions area={area} />}
      component="div"
      error={<Gone area={area} />}
      queryOptions={QUIET}
    >
      <Values area={area} />
      {Detail && <Detail />}
    </Show>
  )
}

function Actions({ area }: { area: Area }) {
  const record = useRecordContext<Wire & { id: number }>()
  const { canAccess } = useCanAccess({ resource: area.name, action: 'edit' })
  const isEditable = record !== undefined && (area.isEditable?.(record) ?? true)
  return (
    <TopToolbar>
      {canAccess && isEditable && area.fields?.some(({ only }) => only !== 'new') && <EditButton />}
      {record && <RowActions area={area} row={record} />}
    </TopToolbar>
  )
}

function Values({ area }: { area: Area }) {
  const t = useText()
  const record = useRecordContext<Wire & { id: number }>()
  if (!record) return null
  const body = area.body && memberText(record, area.body, 'markdown')
  return (
    <Card>
      <CardContent>
        <Typography variant="h5" component="h1" dir="auto" gutterBottom sx={{ overflowWrap: 'anywhere' }}>
          {area.title?.(record, t) ?? `#${record.id}`}
        </Typography>
        <Box
          component="dl"
          sx={{
            m: 0,
            display: 'grid',
            gridTemplateColumns: { xs: '1fr', sm: 'max-content 1fr' },
            columnGap: 3,
            rowGap: 1,
          }}
        >
          {area.columns.map((column) =>
            column.isExcerpt ? null : (
              <Box key={column.name} sx={{ display: 'contents' }}>
                <Typography component="dt" color="textSecondary">
                  {t(column.label)}
                </Typography>
                <Box component="dd" sx={{ m: 0, overflowWrap: 'anywhere' }}>
                  <Shown column={column} record={record} />
                </Box>
              </Box>
            ),
          )}
        </Box>
        {body && (
          <Box sx={{ mt: 2, pt: 2, borderTop: 1, borderColor: 'divider' }}>
            <Rendered text={body} />
          </Box>
        )}
      </CardContent>
    </Card>
  )
}

/** Lists cut long texts. The page of a record shows the whole text, with its links if the API has its tree. */
function Shown({ column: { name, as = 'text', choices, from }, record }: { column: Column; record: Wire }) {
  const t = useText()
  const value = from ? from(record, t) : valueAt(record, name)
  const text = as === 'long' && !from ? (memberText(record, name, 'plain') ?? plainText(value)) : undefined
  if (text) return <TextView text={text} />
  return (
    <Value value={value} as={as === 'long' ? 'text' : as} row={record} {...(choices ? { choices } : {})} />
  )
}

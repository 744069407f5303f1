import { Box } from '@mui/material'
import { Create, Edit, SaveButton, SimpleForm, Toolbar, useRecordContext } from 'react-admin'
import type { Wire } from '../api/client.ts'
import { useText } from '../shell/text.ts'
import type { Area } from './area.ts'
import { inputOf } from './inputs.tsx'
import { RowActions } from './row-actions.tsx'

function Fields({ area, kind }: { area: Area; kind: 'new' | 'known' }) {
  const t = useText()
  const fields = (area.fields ?? []).filter(({ only }) => only === undefined || only === kind)
  return (
    <Box
      sx={{ display: 'grid', columnGap: 2, gridTemplateColumns: { xs: '1fr', md: '1fr 1fr' }, width: '100%' }}
    >
      {fields.map((field) => (
        <Box key={field.name} sx={{ minWidth: 0, gridColumn: field.full ? '1 / -1' : undefined }}>
          {inputOf(field, t)}
        </Box>
      ))}
    </Box>
  )
}

function Actions({ area }: { area: Area }) {
  const record = useRecordContext<Wire & { id: number }>()
  return record ? (
    <Box sx={{ display: 'flex', justifyContent: 'flex-end', py: 1 }}>
      <RowActions area={area} row={record} />
    </Box>
  ) : null
}

/** The form of a record that there is. */
export function AreaEdit({ area }: { area: Area }) {
  return (
    <Edit
      resource={area.name}
      mutationMode="pessimistic"
      redirect="list"
      title={<RecordTitle area={area} />}
      actions={<Actions area={area} />}
    >
      <SimpleForm
        toolbar={
          <Toolbar>
            <SaveButton />
          </Toolbar>
        }
      >
        <Fields area={area} kind="known" />
      </SimpleForm>
    </Edit>
  )
}

/** The form of a new record. */
export function AreaCreate({ area }: { area: Area }) {
  const t = useText()
  return (
    <Create resource={area.name} redirect="list" title={t([`New ${area.noun[0]}`, `新建${area.noun[1]}`])}>
      <SimpleForm
        toolbar={
          <Toolbar>
            <SaveButton alwaysEnable />
          </Toolbar>
        }
      >
        <Fields area={area} kind="new" />
      </SimpleForm>
    </Create>
  )
}

/** What a page of one record is called. */
export function RecordTitle({ area }: { area: Area }) {
  const record = useRecordContext<Wire & { id: number }>()
  const t = useText()
  return (
    <span>
      {t(area.label)}
      {record ? ` · ${area.title?.(record, t) ?? `#${record.id}`}` : ''}
    </span>
  )
}

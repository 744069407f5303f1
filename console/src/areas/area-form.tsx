import { Box, Typography } from '@mui/material'
import type { ReactNode } from 'react'
import {
  Create,
  Edit,
  SaveButton,
  SimpleForm,
  Toolbar,
  useNotify,
  useRecordContext,
  useRedirect,
} from 'react-admin'
import { call, type Wire } from '../api/client.ts'
import { messageOf } from '../api/message.ts'
import { useText } from '../shell/text.ts'
import type { Area } from './area.ts'
import { Gone, QUIET } from './gone.tsx'
import { inputOf } from './inputs.tsx'
import { RowActions } from './row-actions.tsx'

function Heading({ children }: { children: ReactNode }) {
  return (
    <Typography variant="h5" component="h1" gutterBottom sx={{ overflowWrap: 'anywhere' }}>
      {children}
    </Typography>
  )
}

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

export function AreaEdit({ area }: { area: Area }) {
  return (
    <Edit
      resource={area.name}
      mutationMode="pessimistic"
      redirect="list"
      error={<Gone area={area} />}
      queryOptions={QUIET}
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
        <Heading>
          <RecordTitle area={area} />
        </Heading>
        <Fields area={area} kind="known" />
      </SimpleForm>
    </Edit>
  )
}

export function AreaCreate({ area }: { area: Area }) {
  const t = useText()
  return (
    <Create
      resource={area.name}
      redirect={area.detail === 'webhook' || area.detail === 'wave' ? 'show' : 'list'}
      title={t([`New ${area.noun[0]}`, `新建${area.noun[1]}`])}
    >
      <SimpleForm
        toolbar={
          <Toolbar>
            <SaveButton alwaysEnable {...(area.detail === 'wave' ? { label: t(['Preview', '预览']) } : {})} />
            {area.detail === 'webhook' && <SaveAndTest area={area} />}
          </Toolbar>
        }
      >
        <Heading>{t([`New ${area.noun[0]}`, `新建${area.noun[1]}`])}</Heading>
        <Fields area={area} kind="new" />
      </SimpleForm>
    </Create>
  )
}

function SaveAndTest({ area }: { area: Area }) {
  const t = useText()
  const notify = useNotify()
  const redirect = useRedirect()
  return (
    <SaveButton
      alwaysEnable
      type="button"
      variant="outlined"
      sx={{ ml: 1 }}
      label={t(['Save and send a test event', '保存并发送测试事件'])}
      mutationOptions={{
        onSuccess: (row: Wire) => {
          void call('POST', `/admin/webhooks/${row.id}/ping`).then(
            () => notify(t(['Test event sent', '已发送测试事件']), { type: 'success' }),
            (error: unknown) => notify(messageOf(error), { type: 'error' }),
          )
          redirect('show', area.name, row.id as number)
        },
      }}
    />
  )
}

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

import {
  Autocomplete,
  Box,
  Button,
  Card,
  MenuItem,
  Skeleton,
  Stack,
  TextField,
  Typography,
} from '@mui/material'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Title, useNotify } from 'react-admin'
import { Link, useSearchParams } from 'react-router'
import { call, type Page } from '../../api/client.ts'
import { messageOf } from '../../api/message.ts'
import { AREAS } from '../../areas/areas.ts'
import { PageSteps } from '../../shell/page-steps.tsx'
import { EmptyState, ErrorState } from '../../shell/states.tsx'
import { useText } from '../../shell/text.ts'
import { Value } from '../../shell/value.tsx'
import { fieldOfRecord, wordsOfParts } from './fields.ts'
import { type AuditEntry, differencesOf, nameOf, nounOf, pageOf, SUBJECTS, sentenceOf } from './sentences.ts'

const AT_ONCE = 20

type Person = { id: number; name: string }

function useNames(ids: number[]): Map<number, string> {
  const wanted = [...new Set(ids)].filter((id) => id > 0).sort((a, b) => a - b)
  const { data } = useQuery({
    queryKey: ['names', wanted],
    queryFn: () => call<Person[]>('GET', '/users', { query: { id: wanted.join(',') } }),
    enabled: wanted.length > 0,
    staleTime: 60_000,
    placeholderData: keepPreviousData,
  })
  return new Map(data?.map(({ id, name }) => [id, name]))
}

export function AuditPage() {
  const t = useText()
  const [asked, ask] = useSearchParams()
  const notify = useNotify()
  const { page: step = '1', to, ...query } = Object.fromEntries(asked) as Record<string, string>
  const page = Math.max(0, Number(step) - 1 || 0)
  const end = to && new Date(Date.parse(`${to}T00:00:00Z`) + 86_400_000).toISOString().slice(0, 10)
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ['audit', query, end, page],
    queryFn: () =>
      call<Page<AuditEntry>>('GET', '/admin/audit-log', {
        query: { ...query, to: end, page: page + 1, limit: AT_ONCE },
      }),
    placeholderData: keepPreviousData,
  })
  const names = useNames(
    (data?.data ?? []).flatMap((entry) => [
      entry.user_id,
      ...(entry.subject_type === 'users' ? [Number(entry.subject_id)] : []),
    ]),
  )
  const set = (name: string, value: string) =>
    ask((known) => {
      if (name !== 'page') known.delete('page')
      if (value) known.set(name, value)
      else known.delete(name)
      return known
    })
  const exportAnchor = async () => {
    try {
      const { position, hash } = await call('GET', '/admin/audit-log/anchor')
      const link = document.createElement('a')
      link.href = URL.createObjectURL(new Blob([`anchor ${position} ${hash}\n`], { type: 'text/plain' }))
      link.download = `audit-anchor-${new Date().toISOString().slice(0, 10)}.txt`
      link.click()
      setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
    } catch (refused) {
      notify(messageOf(refused), { type: 'error' })
    }
  }
  return (
    <Box sx={{ pt: 2, pb: 6 }}>
      <Title title={t(['Audit log', '操作日志'])} />
      <Stack direction="row" sx={{ alignItems: 'center', flexWrap: 'wrap', mb: 1 }}>
        <Typography variant="h4" component="h1" sx={{ flex: 1 }}>
          {t(['Audit log', '操作日志'])}
        </Typography>
        <Button
          onClick={() => void exportAnchor()}
          title={t([
            'Store the anchor elsewhere. `kith doctor audit FILE` then proves that no earlier record was changed.',
            '请将锚点保存在其他位置。之后可用 `kith doctor audit 文件` 证明此前的记录未被改动。',
          ])}
        >
          {t(['Export anchor', '导出锚点'])}
        </Button>
      </Stack>
      <Stack direction={{ xs: 'column', md: 'row' }} spacing={1} sx={{ mb: 2 }}>
        <PersonFilter id={query.user_id} change={(id) => set('user_id', id)} />
        <TextField
          select
          label={t(['Type', '类型'])}
          value={query.subject_type ?? ''}
          onChange={(event) => set('subject_type', event.target.value)}
        >
          <MenuItem value="">{t(['all types', '全部类型'])}</MenuItem>
          {Object.entries(SUBJECTS).map(([name, { noun }]) => (
            <MenuItem key={name} value={name}>
              {t(noun).replace(/^the | of$/g, '')}
            </MenuItem>
          ))}
        </TextField>
        {(['from', 'to'] as const).map((name) => (
          <TextField
            key={name}
            type="date"
            label={name === 'from' ? t(['From', '起始日期']) : t(['To', '截止日期'])}
            value={(name === 'from' ? query.from : to) ?? ''}
            onChange={(event) => set(name, event.target.value)}
            slotProps={{ inputLabel: { shrink: true } }}
          />
        ))}
      </Stack>
      {error && <ErrorState error={error} retry={() => void refetch()} />}
      {isPending && <Skeleton variant="rounded" height={320} />}
      {data?.total === 0 && (
        <EmptyState icon="audit" text={['No matching records.', '没有符合条件的记录。']} />
      )}
      <Stack spacing={1} component="ol" sx={{ listStyle: 'none', p: 0, m: 0 }}>
        {data?.data.map((entry) => (
          <Entry key={entry.id} entry={entry} names={names} />
        ))}
      </Stack>
      {data && data.total > AT_ONCE && (
        <PageSteps
          count={data.total}
          page={page}
          atOnce={AT_ONCE}
          onChange={(next) => set('page', next === 0 ? '' : String(next + 1))}
        />
      )}
    </Box>
  )
}

function PersonFilter({ id, change }: { id: string | undefined; change(id: string): void }) {
  const t = useText()
  const [text, setText] = useState('')
  const { data = [] } = useQuery({
    queryKey: ['people-named', text],
    queryFn: async () =>
      (await call<Page<Person>>('GET', '/admin/users', { query: { q: text, limit: 10 } })).data,
    enabled: text.trim() !== '',
    placeholderData: keepPreviousData,
    retry: false,
  })
  const name = useNames(id ? [Number(id)] : []).get(Number(id))
  const value = id ? { id: Number(id), name: name ?? `#${id}` } : null
  return (
    <Autocomplete
      fullWidth
      options={data}
      filterOptions={(options) => options}
      value={value}
      getOptionLabel={(option) => option.name}
      getOptionKey={(option) => option.id}
      isOptionEqualToValue={(option, chosen) => option.id === chosen.id}
      onInputChange={(_, typed, reason) => reason === 'input' && setText(typed)}
      onChange={(_, chosen) => change(chosen ? String(chosen.id) : '')}
      noOptionsText={t(['Enter a name', '请输入用户名'])}
      clearText={t(['Clear', '清除'])}
      openText={t(['Open', '打开'])}
      closeText={t(['Close', '关闭'])}
      renderInput={(props) => <TextField {...props} margin="none" label={t(['Actor', '操作人'])} />}
    />
  )
}

function Entry({ entry, names }: { entry: AuditEntry; names: Map<number, string> }) {
  const t = useText()
  const differences = differencesOf(entry).map((difference) => ({
    ...difference,
    field: fieldOfRecord(AREAS, entry.subject_type, difference.name, [difference.before, difference.after]),
  }))
  const pieces = t(sentenceOf(entry)).split(/(\{[as]\})/)
  const isPerson = entry.subject_type === 'users'
  const page = pageOf(entry)
  const name = isPerson
    ? (names.get(Number(entry.subject_id)) ?? nameOf(entry))
    : [t(nounOf(entry)), nameOf(entry)].filter(Boolean).join(' ')
  return (
    <Card component="li" sx={{ p: 1.5 }}>
      <Stack direction="row" spacing={1} useFlexGap sx={{ alignItems: 'baseline', flexWrap: 'wrap' }}>
        <Typography component="span" sx={{ flex: 1, minWidth: '16rem', overflowWrap: 'anywhere' }}>
          {pieces.map((piece, at) =>
            piece === '{a}' ? (
              <Value
                key={String(at)}
                value={{ id: entry.user_id, name: names.get(entry.user_id) ?? `#${entry.user_id}` }}
                as="person"
              />
            ) : piece === '{s}' ? (
              page ? (
                <Box key={String(at)} component={Link} to={page} sx={{ color: 'primary.main' }}>
                  {name}
                </Box>
              ) : (
                name
              )
            ) : (
              piece
            ),
          )}
        </Typography>
        <Typography component="span" color="textSecondary" variant="body2">
          <Value value={entry.created_at} as="time" />
        </Typography>
      </Stack>
      {entry.redacted && (
        <Typography variant="body2" color="textSecondary">
          {t([
            'The details were removed when the user deleted the account.',
            '该用户注销账号后，详细内容已被移除。',
          ])}
        </Typography>
      )}
      {differences.length > 0 && (
        <Box component="details" sx={{ mt: 0.5 }}>
          <Box component="summary" sx={{ fontSize: 13, color: 'text.secondary', cursor: 'pointer' }}>
            {differences
              .slice(0, 4)
              .map(({ field }) => t(field.label))
              .join(t([', ', '、']))}
            {differences.length > 4
              ? t([` and ${differences.length - 4} more`, ` 等 ${differences.length} 项`])
              : ''}
          </Box>
          <Box sx={{ overflowX: 'auto' }}>
            <Box
              component="table"
              sx={{ mt: 1, fontSize: 13, borderSpacing: '12px 2px', textAlign: 'start' }}
            >
              <thead>
                <tr>
                  {[t(['Field', '字段']), t(['Before', '修改前']), t(['After', '修改后'])].map((label) => (
                    <Box component="th" key={label} sx={{ textAlign: 'start', fontWeight: 600 }}>
                      {label}
                    </Box>
                  ))}
                </tr>
              </thead>
              <tbody>
                {differences.map(({ name, field, before, after }) => (
                  <tr key={name}>
                    <Box
                      component="th"
                      scope="row"
                      sx={{ textAlign: 'start', fontWeight: 400, verticalAlign: 'top' }}
                    >
                      <span title={name}>{t(field.label)}</span>
                    </Box>
                    <Difference value={before} field={field} tone="error.main" />
                    <Difference value={after} field={field} tone="success.main" />
                  </tr>
                ))}
              </tbody>
            </Box>
          </Box>
        </Box>
      )}
    </Card>
  )
}

function Difference({
  value,
  field: { as, choices },
  tone,
}: {
  value: unknown
  field: ReturnType<typeof fieldOfRecord>
  tone: string
}) {
  const t = useText()
  return (
    <Box
      component="td"
      sx={{ color: tone, overflowWrap: 'anywhere', whiteSpace: 'pre-wrap', verticalAlign: 'top' }}
    >
      {typeof value === 'object' && value !== null ? (
        t(wordsOfParts(value))
      ) : (
        <Value value={value} as={as} {...(choices ? { choices } : {})} />
      )}
    </Box>
  )
}

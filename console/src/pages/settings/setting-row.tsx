import { Box, Button, MenuItem, Stack, Switch, TextField, Typography } from '@mui/material'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useId, useState } from 'react'
import { useNotify } from 'react-admin'
import { call } from '../../api/client.ts'
import { messageOf } from '../../api/message.ts'
import { storePicture } from '../../api/upload.ts'
import { exampleOf, Unit } from '../../shell/amount-input.tsx'
import { FileButton } from '../../shell/file-button.tsx'
import { type Currency, parseAmount, plainAmount } from '../../shell/money.ts'
import { Picture } from '../../shell/picture.tsx'
import { SITE_QUERY } from '../../shell/site-name.ts'
import { type Text, useText } from '../../shell/text.ts'
import { currencyOf, isNullable, kindOf, type SettingSchema } from './schema.ts'
import { settingText } from './texts.ts'

const same = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)

function textOf(value: unknown, schema: SettingSchema): string {
  const currency = currencyOf(schema)
  if (!currency) return Array.isArray(value) ? value.join('\n') : String(value ?? '')
  const amounts = Array.isArray(value) ? value : String(value ?? '').split(',')
  return amounts
    .filter((amount) => amount !== '')
    .map((amount) => plainAmount(Number(amount), currency))
    .join('\n')
}

function amountsOf(text: string, schema: SettingSchema, currency: Currency): unknown {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const amounts = lines.map((line) => parseAmount(line, currency))
  if (amounts.includes(null)) return undefined
  const kind = kindOf(schema)
  if (kind === 'numbers') return amounts
  if (kind === 'number') return amounts.length === 1 ? amounts[0] : undefined
  return amounts.join(',')
}

export function SettingRow({
  name,
  value,
  schema,
  saved,
}: {
  name: string
  value: unknown
  schema: SettingSchema
  saved(value: unknown): void
}) {
  const t = useText()
  const notify = useNotify()
  const client = useQueryClient()
  const id = useId()
  const kind = kindOf(schema)
  const currency = currencyOf(schema)
  const write = (given: unknown) => textOf(given, schema)
  const [text, setText] = useState(write(value))
  const [isSending, setSending] = useState(false)
  const { label, help, choices = {} } = settingText(name)
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a new value from the server replaces what is typed
  useEffect(() => setText(write(value)), [JSON.stringify(value)])

  const read = (): unknown => {
    if (currency) return amountsOf(text, schema, currency)
    if (kind === 'number') return text.trim() === '' && isNullable(schema) ? null : Number(text)
    const lines = text
      .split('\n')
      .map((line) => line.trim())
      .filter(Boolean)
    if (kind === 'words') return lines
    if (kind === 'numbers') return lines.map(Number)
    return text === '' && isNullable(schema) ? null : text
  }
  const save = async (next: unknown) => {
    setSending(true)
    try {
      await call('PATCH', '/admin/settings', { body: { [name]: next } })
      saved(next)
      if (name.startsWith('site:')) void client.fetchQuery(SITE_QUERY).catch(() => {})
      notify(t([`Saved: ${label[0]}`, `已保存：${label[1]}`]), { type: 'success' })
    } catch (error) {
      setText(write(value))
      notify(messageOf(error), { type: 'error' })
    } finally {
      setSending(false)
    }
  }
  const standard = schema['x-standard']
  const shown: Text = choices[String(standard)] ?? [
    write(standard).replaceAll('\n', ', ') || '—',
    write(standard).replaceAll('\n', '、') || '—',
  ]
  const isStandard = standard === undefined || same(value, standard)
  const given = kind === 'flag' ? value : read()
  const isChanged = kind !== 'flag' && text !== write(value)
  return (
    <Box
      data-setting={name}
      sx={{
        py: 1.5,
        borderTop: 1,
        borderColor: 'divider',
        display: 'grid',
        gap: 1,
        alignItems: 'center',
        gridTemplateColumns: { xs: '1fr', md: 'minmax(0, 1fr) minmax(260px, 1fr)' },
      }}
    >
      <Box sx={{ minWidth: 0 }}>
        <Typography component="label" htmlFor={id} sx={{ fontWeight: 600 }}>
          {t(label)}
        </Typography>
        <Typography variant="body2" color="textSecondary" id={`${id}-note`}>
          {t(help)}
        </Typography>
        <Typography
          variant="caption"
          color="textSecondary"
          component="code"
          sx={{ overflowWrap: 'anywhere' }}
        >
          {name}
        </Typography>
      </Box>
      <Stack direction="row" spacing={1} sx={{ alignItems: 'center', justifyContent: { md: 'flex-end' } }}>
        {kind === 'picture' ? (
          <SettingPicture
            id={id}
            label={t(label)}
            node={typeof value === 'string' ? value : null}
            isSending={isSending}
            save={save}
          />
        ) : kind === 'flag' ? (
          <Switch
            checked={value === true}
            disabled={isSending}
            onChange={(event) => void save(event.target.checked)}
            slotProps={{ input: { id, 'aria-describedby': `${id}-note` } }}
          />
        ) : (
          <TextField
            id={id}
            value={text}
            select={kind === 'choice'}
            type={kind === 'number' && !currency ? 'number' : 'text'}
            error={given === undefined}
            helperText={given === undefined ? t(exampleOf(currency ?? 'points')) : undefined}
            multiline={
              ['long', 'words', 'numbers'].includes(kind) || (currency !== undefined && kind !== 'number')
            }
            maxRows={10}
            onChange={(event) => {
              setText(event.target.value)
              if (kind === 'choice') void save(event.target.value)
            }}
            slotProps={{
              ...(currency ? { input: { endAdornment: <Unit currency={currency} /> } } : {}),
              htmlInput: {
                'aria-describedby': `${id}-note`,
                ...(kind === 'choice' ? { 'aria-label': t(label) } : {}),
                min: schema.minimum,
                max: schema.maximum,
                ...(kind === 'text' || kind === 'long' ? { maxLength: schema.maxLength } : {}),
              },
            }}
          >
            {schema.enum?.map((choice) => (
              <MenuItem key={choice} value={choice}>
                <span>
                  {choices[choice] && `${t(choices[choice])} `}
                  <Box component="code" sx={{ color: 'text.secondary', typography: 'caption' }}>
                    {choice}
                  </Box>
                </span>
              </MenuItem>
            ))}
          </TextField>
        )}
        {isChanged && kind !== 'choice' && kind !== 'picture' && (
          <Button
            variant="contained"
            disabled={isSending || given === undefined}
            onClick={() => void save(given)}
          >
            {t(['Save', '保存'])}
          </Button>
        )}
        {!isStandard && !isChanged && (
          <Button
            disabled={isSending}
            onClick={() => void save(standard)}
            title={t([`Reset to: ${shown[0]}`, `恢复为：${shown[1]}`])}
          >
            {t(['Reset', '恢复默认'])}
          </Button>
        )}
      </Stack>
    </Box>
  )
}

function SettingPicture({
  id,
  label,
  node,
  isSending,
  save,
}: {
  id: string
  label: string
  node: string | null
  isSending: boolean
  save(node: string): Promise<void>
}) {
  const t = useText()
  const notify = useNotify()
  const [isStoring, setStoring] = useState(false)
  const choose = async (file: File | undefined) => {
    if (!file) return
    setStoring(true)
    try {
      await save(await storePicture(file))
    } catch (error) {
      notify(messageOf(error), { type: 'error' })
    } finally {
      setStoring(false)
    }
  }
  const action = t(node === null ? ['Choose a file', '选择文件'] : ['Replace', '更换'])
  return (
    <>
      {node !== null && (
        <Picture url={`/storage/${encodeURIComponent(node)}`} alt={label} height={56} width={56} />
      )}
      <FileButton
        id={id}
        disabled={isSending || isStoring}
        aria-label={`${action}: ${label}`}
        aria-describedby={`${id}-note`}
        accept="image/png,image/jpeg,image/gif,image/webp"
        choose={(file) => void choose(file)}
      >
        {action}
      </FileButton>
    </>
  )
}

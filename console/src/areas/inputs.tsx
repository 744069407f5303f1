import { useQuery } from '@tanstack/react-query'
import { lazy, type ReactElement, Suspense } from 'react'
import {
  AutocompleteArrayInput,
  AutocompleteInput,
  BooleanInput,
  FormDataConsumer,
  NullableBooleanInput,
  NumberInput,
  PasswordInput,
  ReferenceArrayInput,
  ReferenceInput,
  required,
  SelectArrayInput,
  SelectInput,
  TextInput,
  useGetList,
  useInput,
  useLocaleState,
} from 'react-admin'
import { call, type Wire } from '../api/client.ts'
import { AmountInput } from '../shell/amount-input.tsx'
import { type Currency, formatAmount } from '../shell/money.ts'
import { type Translate, useText } from '../shell/text.ts'
import { AbilityChecks } from './ability-checks.tsx'
import type { Field } from './area.ts'
import { EventChecks } from './event-checks.tsx'
import { UploadInput } from './upload-input.tsx'

const MarkdownInput = lazy(() =>
  import('./markdown-input.tsx').then((part) => ({ default: part.MarkdownInput })),
)

type Common = {
  source: string
  label: string
  helperText: string | false
  validate?: ReturnType<typeof required>
  defaultValue?: never
}

export function inputOf(field: Field, t: Translate, { isFilter = false } = {}): ReactElement {
  const { name, as = 'text', of = '', shows = 'name', names, keeps } = field
  const choices = field.choices?.map((choice) => ({ id: choice.id, name: t(choice.name) })) ?? []
  const common: Common = {
    source: name,
    label: t(field.label),
    helperText: field.help ? t(field.help) : false,
    ...(field.required && !isFilter ? { validate: required() } : {}),
    ...(field.standard !== undefined && !isFilter ? { defaultValue: field.standard as never } : {}),
  }
  switch (as) {
    case 'long':
      return <TextInput key={name} {...common} multiline minRows={3} maxRows={16} />
    case 'markdown':
      return (
        <Suspense key={name} fallback={null}>
          <MarkdownInput {...common} />
        </Suspense>
      )
    case 'number':
      return <NumberInput key={name} {...common} />
    case 'points':
      return <AmountField key={name} {...common} currency="points" />
    case 'charged':
      return <ChargedField key={name} {...common} />
    case 'flag':
      return isFilter ? (
        <NullableBooleanInput key={name} {...common} />
      ) : (
        <BooleanInput key={name} {...common} />
      )
    case 'choice':
      return <SelectInput key={name} {...common} choices={choices} />
    case 'choices':
      return <SelectArrayInput key={name} {...common} choices={choices} />
    case 'area':
      return keeps ? (
        <NamedInput key={name} {...common} of={of} shows={shows} names={names} keeps={keeps} />
      ) : (
        <ReferenceInput
          key={name}
          source={name}
          reference={of}
          perPage={25}
          {...(isFilter ? { label: common.label } : {})}
        >
          <AutocompleteInput
            {...common}
            optionText={shows}
            filterToQuery={(q: string) => (q ? { q } : {})}
            sx={{ minWidth: 220 }}
          />
        </ReferenceInput>
      )
    case 'areas':
      return keeps ? (
        <NamedInput key={name} {...common} of={of} shows={shows} names={names} keeps={keeps} several />
      ) : (
        <ReferenceArrayInput key={name} source={name} reference={of} perPage={25}>
          <AutocompleteArrayInput
            {...common}
            optionText={shows}
            filterToQuery={(q: string) => (q ? { q } : {})}
          />
        </ReferenceArrayInput>
      )
    case 'checks':
      return <AbilityChecks key={name} source={name} label={common.label} />
    case 'events':
      return <EventChecks key={name} source={name} label={common.label} />
    case 'picture':
    case 'sound':
    case 'upload':
    case 'node':
      return <UploadInput key={name} {...common} as={as} />
    case 'password':
      return <PasswordInput key={name} {...common} autoComplete="new-password" />
    case 'words':
      return (
        <TextInput
          key={name}
          {...common}
          multiline
          minRows={2}
          format={(value: unknown) => (Array.isArray(value) ? value.join('\n') : (value ?? ''))}
          parse={(value: string) =>
            value.trim() === '' ? null : value.split('\n').map((line) => line.trimStart())
          }
        />
      )
    case 'space':
      return <SpaceInput key={name} {...common} />
    default:
      return <TextInput key={name} {...common} />
  }
}

/** Input of an amount. Stores NaN for invalid text, so that the user cannot submit the form. */
function AmountField({
  currency,
  source,
  label,
  helperText,
  validate,
  note,
}: Common & { currency: Currency; note?: string | undefined }) {
  const t = useText()
  const unread = (value: unknown) =>
    Number.isNaN(value) ? t(['The amount is not valid.', '金额格式不正确。']) : undefined
  const { field, fieldState, id, isRequired } = useInput({
    source,
    validate: validate ? [validate, unread] : unread,
  })
  return (
    <AmountInput
      id={id}
      fullWidth
      margin="dense"
      label={label}
      required={isRequired}
      currency={currency}
      initial={typeof field.value === 'number' ? field.value : null}
      error={fieldState.invalid}
      note={note ?? (helperText || ' ')}
      onBlur={field.onBlur}
      change={(amount, isWrong) => field.onChange(isWrong ? Number.NaN : amount)}
    />
  )
}

const ChargedField = (common: Common) => (
  <FormDataConsumer>
    {({ formData }) => <AmountOfRecharge {...common} id={Number(formData.recharge_id)} />}
  </FormDataConsumer>
)

function AmountOfRecharge({ id, ...common }: Common & { id: number }) {
  const t = useText()
  const [locale] = useLocaleState()
  const { data } = useQuery({
    queryKey: ['recharge', id],
    queryFn: () => call<Wire>('GET', `/admin/recharges/${id}`),
    enabled: Number.isSafeInteger(id) && id > 0,
    retry: false,
  })
  const currency = typeof data?.charge_currency === 'string' ? data.charge_currency : undefined
  const told = (amount: number) => formatAmount(amount, currency ?? 'wallet', locale)
  const [paid, left] = [Number(data?.charged), Number(data?.charged) - Number(data?.refunded)]
  return (
    <AmountField
      // Clears the amount when the currency changes, because the same text would mean a different amount.
      key={currency ?? ''}
      {...common}
      currency={currency ?? 'wallet'}
      note={
        currency === undefined
          ? common.helperText || undefined
          : t([
              `Paid: ${told(paid)}. Leave empty to refund the remaining ${told(left)}.`,
              `已支付 ${told(paid)}。留空表示退还剩余的 ${told(left)}。`,
            ])
      }
    />
  )
}

function NamedInput({
  of,
  shows,
  names,
  keeps,
  several = false,
  ...common
}: Common & Required<Pick<Field, 'of' | 'shows' | 'keeps'>> & { names: Field['names']; several?: boolean }) {
  const t = useText()
  const { data = [] } = useGetList(of, { pagination: { page: 1, perPage: 100 } })
  const choices = data.map((row) => ({
    id: row[keeps],
    name: names ? t(names(row)) : row[shows] || row[keeps],
  }))
  return several ? (
    <SelectArrayInput {...common} choices={choices} />
  ) : (
    <SelectInput {...common} choices={choices} />
  )
}

function SpaceInput(common: Common) {
  const { data = [] } = useQuery({
    queryKey: ['spaces'],
    queryFn: () => call<Wire[]>('GET', '/advertisingspace'),
    staleTime: 60_000,
  })
  return (
    <SelectInput {...common} choices={data.map(({ id, alias, space }) => ({ id, name: alias || space }))} />
  )
}

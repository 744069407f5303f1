import { InputAdornment, TextField, type TextFieldProps } from '@mui/material'
import { useState } from 'react'
import { useLocaleState } from 'react-admin'
import { type Currency, codeOf, decimalsOf, formatAmount, parseAmount, plainAmount } from './money.ts'
import { type Text, useText } from './text.ts'

export function Unit({ currency }: { currency: Currency }) {
  const t = useText()
  return (
    <InputAdornment position="end">
      {currency === 'points' ? t(['points', '积分']) : codeOf(currency)}
    </InputAdornment>
  )
}

export const exampleOf = (currency: Currency): Text => {
  const example = plainAmount(150 * 10 ** decimalsOf(currency), currency)
  return decimalsOf(currency) === 0
    ? ['Enter a whole number.', '请填写整数。']
    : [`Enter an amount such as 150 or ${example}.`, `请填写金额，如 150 或 ${example}。`]
}

/**
 * Input for an amount in common notations, with a preview of the parsed amount. `change` receives null for
 * empty and for invalid text, and `isWrong` is true only for invalid text.
 */
export function AmountInput({
  currency,
  change,
  initial = null,
  signed = false,
  note = ' ',
  ...props
}: Omit<TextFieldProps, 'onChange' | 'value'> & {
  currency: Currency
  initial?: number | null
  signed?: boolean
  note?: string
  change(amount: number | null, isWrong: boolean): void
}) {
  const t = useText()
  const [locale] = useLocaleState()
  const [text, setText] = useState(initial === null ? '' : plainAmount(initial, currency))
  const amount = parseAmount(text, currency)
  const isWrong = text.trim() !== '' && amount === null
  return (
    <TextField
      {...props}
      value={text}
      error={isWrong}
      helperText={
        isWrong
          ? t(exampleOf(currency))
          : amount === null
            ? note
            : formatAmount(amount, currency, locale, { signed })
      }
      onChange={(event) => {
        setText(event.target.value)
        const read = parseAmount(event.target.value, currency)
        change(read, event.target.value.trim() !== '' && read === null)
      }}
      slotProps={{
        input: { endAdornment: <Unit currency={currency} /> },
        htmlInput: { inputMode: 'decimal', maxLength: 20 },
      }}
    />
  )
}

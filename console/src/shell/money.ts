/** Points, the wallet in fen (1/100 CNY), or a currency code of a payment provider. */
export type Currency = 'points' | 'wallet' | (string & {})

/** Currencies without a minor unit at Stripe. */
const ZERO_DECIMAL = 'bif clp djf gnf jpy kmf krw mga pyg rwf vnd vuv xaf xof xpf'.split(' ')
const THREE_DECIMAL = 'bhd jod kwd omr tnd'.split(' ')

export const decimalsOf = (currency: Currency): number =>
  currency === 'points' || ZERO_DECIMAL.includes(currency) ? 0 : THREE_DECIMAL.includes(currency) ? 3 : 2

/** Returns the ISO code of a currency, or XXX for an invalid code because `Intl` would throw. */
export const codeOf = (currency: Currency): string => {
  if (currency === 'wallet') return 'CNY'
  return /^[a-z]{3}$/i.test(currency) ? currency.toUpperCase() : 'XXX'
}

/** Formats an amount in minor units with its currency, such as 15000 of the wallet as ¥150.00. */
export function formatAmount(
  amount: number,
  currency: Currency,
  locale: string,
  { signed = false } = {},
): string {
  const sign = signed ? ({ signDisplay: 'exceptZero' } as const) : {}
  if (currency !== 'points') {
    const decimals = decimalsOf(currency)
    return (amount / 10 ** decimals).toLocaleString(locale, {
      ...{ style: 'currency', currency: codeOf(currency), ...sign },
      ...{ minimumFractionDigits: decimals, maximumFractionDigits: decimals },
    })
  }
  const number = amount.toLocaleString(locale, sign)
  if (locale.startsWith('zh')) return `${number} 积分`
  return `${number} ${Math.abs(amount) === 1 ? 'point' : 'points'}`
}

/** Formats an amount in minor units without a currency, such as 15000 of the wallet as 150.00. */
export const plainAmount = (amount: number, currency: Currency): string =>
  (amount / 10 ** decimalsOf(currency)).toFixed(decimalsOf(currency))

function unitsOf(currency: Currency): string[] {
  if (currency === 'points') return ['POINTS', 'POINT', '积分']
  const code = codeOf(currency)
  const signs = ['en', 'zh'].flatMap((locale) =>
    (['symbol', 'narrowSymbol'] as const).map(
      (currencyDisplay) =>
        new Intl.NumberFormat(locale, { style: 'currency', currency: code, currencyDisplay })
          .formatToParts(0)
          .find(({ type }) => type === 'currency')?.value ?? code,
    ),
  )
  const units = [...signs, code, ...(code === 'CNY' ? ['RMB', '元'] : [])]
  return [...new Set(units.map((unit) => unit.toUpperCase()))].sort((a, b) => b.length - a.length)
}

/**
 * Parses an amount such as `1,500.5`, `¥150` or `１５０元` into minor units. Returns null for invalid text or too many
 * decimals.
 */
export function parseAmount(text: string, currency: Currency): number | null {
  const plain = text.normalize('NFKC').replaceAll('−', '-').trim().toUpperCase()
  const sign = plain.startsWith('-') ? '-' : ''
  let figures = plain.slice(sign.length).trim()
  const unit = unitsOf(currency).find((each) => figures.startsWith(each) || figures.endsWith(each))
  if (unit)
    figures = (figures.startsWith(unit) ? figures.slice(unit.length) : figures.slice(0, -unit.length)).trim()
  const match = /^(-?)(\d+|\d{1,3}(?:,\d{3})+)(?:\.(\d{1,3}))?$/.exec(sign + figures)
  if (!match) return null
  const [, minus = '', whole = '', decimals = ''] = match
  const places = decimalsOf(currency)
  if (decimals.length > places) return null
  const units = Number(whole.replaceAll(',', ''))
  const amount = units * 10 ** places + Number(decimals.padEnd(places, '0'))
  return Number.isSafeInteger(amount) ? (minus ? -amount : amount) : null
}

export const currencyName = (name: unknown): Currency => (name === 'wallet' ? 'wallet' : 'points')

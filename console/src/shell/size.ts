const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte']

export function sizeOf(bytes: number, locale: string): string {
  const step = Math.min(UNITS.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)))
  return (bytes / 1000 ** step).toLocaleString(locale, {
    style: 'unit',
    unit: UNITS[step] as string,
    maximumFractionDigits: 1,
  })
}

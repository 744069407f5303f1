import { Box, Typography, useTheme } from '@mui/material'
import { useLocaleState } from 'react-admin'

export type Line = { name: string; told: string; values: (number | null)[] }

const WIDTH = 640
const HEIGHT = 160
const COLORS = { light: ['#11695f', '#b4532a', '#3d5bb5'], dark: ['#68d3c3', '#f3a683', '#9db4ff'] }

export function LineChart({
  label,
  ends,
  lines,
  unit = '',
  say,
}: {
  label: string
  ends: readonly [string, string]
  lines: Line[]
  unit?: string
  say?: ((value: number) => string) | undefined
}) {
  const { palette } = useTheme()
  const [locale] = useLocaleState()
  const top = Math.max(1, ...lines.flatMap(({ values }) => values.map((value) => value ?? 0)))
  const count = Math.max(...lines.map(({ values }) => values.length))
  const x = (at: number) => (count < 2 ? 0 : (at / (count - 1)) * WIDTH)
  const y = (value: number) => HEIGHT - 6 - (value / top) * (HEIGHT - 16)
  const path = (values: (number | null)[]) =>
    values
      .map((value, at) => {
        if (value === null) return ''
        const point = `${x(at).toFixed(1)},${y(value).toFixed(1)}`
        const begins = (values[at - 1] ?? null) === null
        return `${begins ? 'M' : 'L'}${point}${begins && (values[at + 1] ?? null) === null ? 'h1' : ''}`
      })
      .join('')
  const area = (values: (number | null)[]) =>
    values
      .map((value, at) => {
        if (value === null) return ''
        const begins = (values[at - 1] ?? null) === null
        const ends = (values[at + 1] ?? null) === null
        const ground = `${x(at).toFixed(1)},${HEIGHT - 6}`
        return `${begins ? `M${ground}` : ''}L${x(at).toFixed(1)},${y(value).toFixed(1)}${ends ? `L${ground}Z` : ''}`
      })
      .join('')
  return (
    <Box component="figure" sx={{ m: 0 }}>
      <Box component="figcaption" sx={{ display: 'flex', gap: 2, flexWrap: 'wrap', mb: 0.5 }}>
        {lines.map(({ name, told }, at) => (
          <Typography
            key={name}
            variant="body2"
            component="span"
            sx={{ display: 'inline-flex', alignItems: 'center', gap: 0.75 }}
          >
            <Box
              component="span"
              aria-hidden
              sx={{ width: 10, height: 10, borderRadius: '50%', bgcolor: COLORS[palette.mode][at % 3] }}
            />
            {name}
            <strong>{told}</strong>
          </Typography>
        ))}
      </Box>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="img"
        aria-label={label}
        style={{ width: '100%', display: 'block' }}
        preserveAspectRatio="none"
        height={150}
      >
        <title>{label}</title>
        {[0, 0.5, 1].map((part) => (
          <line
            key={part}
            x1={0}
            x2={WIDTH}
            y1={y(top * part)}
            y2={y(top * part)}
            stroke={palette.divider}
            vectorEffect="non-scaling-stroke"
          />
        ))}
        {lines.map(({ name, values }, at) => {
          const points = path(values)
          return points ? (
            <g key={name}>
              {at === 0 && <path d={area(values)} fill={COLORS[palette.mode][0]} opacity={0.1} />}
              <path
                d={points}
                fill="none"
                stroke={COLORS[palette.mode][at % 3]}
                strokeWidth={2}
                strokeLinejoin="round"
                vectorEffect="non-scaling-stroke"
              />
            </g>
          ) : null
        })}
      </svg>
      <Box sx={{ display: 'flex', justifyContent: 'space-between', fontSize: 12, color: 'text.secondary' }}>
        <span>{ends[0]}</span>
        <span>↑ {say?.(top) ?? `${top.toLocaleString(locale)}${unit}`}</span>
        <span>{ends[1]}</span>
      </Box>
    </Box>
  )
}

export function Bars({
  label,
  bars,
}: {
  label: string
  bars: { label: string; value: number; told: string }[]
}) {
  const top = Math.max(1, ...bars.map(({ value }) => Math.abs(value)))
  return (
    <Box component="dl" aria-label={label} sx={{ m: 0 }}>
      {bars.map(({ label: name, value, told }) => (
        <Box key={name} sx={{ mb: 1, position: 'relative', pb: 1.5 }}>
          <Typography component="dt" sx={{ float: 'left' }}>
            {name}
          </Typography>
          <Typography component="dd" sx={{ m: 0, textAlign: 'right', fontVariantNumeric: 'tabular-nums' }}>
            {told}
            <Box
              component="span"
              aria-hidden
              sx={{
                ...{
                  position: 'absolute',
                  insetInline: 0,
                  bottom: 0,
                  height: 8,
                  borderRadius: 4,
                  overflow: 'hidden',
                },
                bgcolor: 'action.hover',
              }}
            >
              <Box
                component="span"
                sx={{ display: 'block', height: 1, bgcolor: 'primary.main' }}
                style={{ width: `${(100 * Math.abs(value)) / top}%` }}
              />
            </Box>
          </Typography>
        </Box>
      ))}
    </Box>
  )
}

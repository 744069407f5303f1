import { useQuery } from '@tanstack/react-query'

export type Colours = Record<'light' | 'dark', { accent: string; on: string; soft: string }>

export const STANDARD = '#0b7468'

const NAMES = { accent: '--accent', on: '--on-accent', soft: '--accent-soft' } as const

/** Reads the corrected colours from the style sheet that pages of the site load. */
async function readColours(chosen: string): Promise<Colours> {
  const reply = await fetch(`/site-accents/${chosen.slice(1).toLowerCase()}.css`)
  if (!reply.ok) throw new Error(`HTTP ${reply.status}`)
  const style = await reply.text()
  const find = (name: string, theme: 0 | 1) =>
    new RegExp(`${name}: light-dark\\((#\\w+), (#\\w+)\\)`).exec(style)?.[theme + 1] ?? chosen
  const themeOf = (theme: 0 | 1) =>
    Object.fromEntries(
      Object.entries(NAMES).map(([key, name]) => [key, find(name, theme)]),
    ) as Colours['light']
  return { light: themeOf(0), dark: themeOf(1) }
}

export const isColour = (text: string): boolean => /^#[0-9a-f]{6}$/i.test(text)

export function useColours(chosen: string): Colours | undefined {
  const { data } = useQuery({
    queryKey: ['accent', chosen],
    queryFn: () => readColours(chosen),
    enabled: isColour(chosen),
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: (known) => known,
  })
  return data
}

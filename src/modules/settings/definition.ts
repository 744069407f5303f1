import type { Text } from '#platform/errors.ts'
import type { Static, TSchema } from '#platform/http'

/** An English and a Chinese text. */
type Pair = readonly [en: string, zh: string]

/** `money` requires the ability `admin: currency` for a change, `security` the ability `admin:site:security`. */
export type Guard = 'money' | 'security'

type About = {
  label: Pair
  help: Pair
  /** Rule or page of the documentation. */
  see?: string
  choices?: Readonly<Record<string, Pair>>
  guard?: Guard
  /** Describes what is wrong with an entry of a list. */
  faultOf?(entry: string): Text | undefined
}

type Definition<T extends TSchema = TSchema> = {
  schema: T
  standard: unknown
  guard: Guard | undefined
  faultOf: About['faultOf'] | undefined
}

export type Definitions = Readonly<Record<string, Definition>>

export const FEN = { 'x-unit': 'fen' }
export const POINTS = { 'x-unit': 'points' }

/**
 * Declares a setting. The API description contains its default and its texts, from which the console shows the setting
 * and resets it. `npm run dev -- settings` writes them to docs/settings.md.
 */
export const setting = <T extends TSchema>(
  schema: T,
  standard: Static<T>,
  { label, help, see, choices, guard, faultOf }: About,
): Definition<T> => ({
  schema: Object.assign(schema, {
    description: `${label[0]}. ${help[0]}${see === undefined ? '' : ` (${see})`}`,
    'x-standard': standard,
    'x-texts': { label, help, choices },
  }),
  standard,
  guard,
  faultOf,
})

export type SettingsOf<D extends Definitions> = { [Name in keyof D]: Static<D[Name]['schema']> }

/** Declares settings with the same guard. */
export const guarded = <D extends Definitions>(guard: Guard, definitions: D): D =>
  Object.fromEntries(
    Object.entries(definitions).map(([name, definition]) => [name, { ...definition, guard }]),
  ) as D

export const standardsOf = <D extends Definitions>(definitions: D): SettingsOf<D> =>
  Object.fromEntries(
    Object.entries(definitions).map(([name, { standard }]) => [name, standard]),
  ) as SettingsOf<D>

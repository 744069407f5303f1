import { CATALOGUE, type Details, type FaultCode } from './catalogue.ts'

/** A text in the languages of the console. */
export type BothLanguages = { en: string; zh: string }

/** Words of doctor, console and alerts for a fault. */
export type Diagnosis = { state: 'warning' | 'failing'; sentence: BothLanguages; remedy: BothLanguages }

const fill = (text: string, details: Details) =>
  text.replace(/\{(\w+)\}/g, (whole, name: string) => String(details[name] ?? whole))

/** Returns undefined for a code of another version of Kith. */
export function describeFault(code: string, details: Details): Diagnosis | undefined {
  if (!Object.hasOwn(CATALOGUE, code)) return undefined
  const { state, en, zh } = CATALOGUE[code as FaultCode]
  const [sentence, remedy] = [0, 1].map((at) => ({
    en: fill(en[at] ?? '', details),
    zh: fill(zh[at] ?? '', details),
  })) as [BothLanguages, BothLanguages]
  return { state, sentence, remedy }
}

/** A fault of the catalogue. Its message is the English sentence. */
export class HealthFault extends Error {
  readonly code: FaultCode
  readonly details: Details

  constructor(code: FaultCode, details: Details = {}, cause?: unknown) {
    super(describeFault(code, details)?.sentence.en ?? code, { cause })
    this.name = 'HealthFault'
    this.code = code
    this.details = details
  }
}

/** The sentence and the remedy of a fault as one text. */
export function explainFault({ code, details }: Pick<HealthFault, 'code' | 'details'>): BothLanguages {
  const { sentence, remedy } = describeFault(code, details) as Diagnosis
  return { en: `${sentence.en} ${remedy.en}`, zh: `${sentence.zh}${remedy.zh}` }
}

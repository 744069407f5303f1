import formbody from '@fastify/formbody'
import { parse } from 'qs'
import { apiError } from '#platform/errors.ts'
import { fromForm } from './input.ts'
import type { Server } from './instance.ts'

const unreadable = apiError(400, 'bad_request', 'The form could not be read.', '无法解析表单。')
const tooLarge = apiError(
  400,
  'bad_request',
  'The form has too many fields or nests them too deeply.',
  '表单字段过多或嵌套过深。',
)

/** The cost of parsing a form grows with the product of these three limits. */
const MAX_ITEMS = 100
const MAX_FIELDS = 1000
const MAX_DEPTH = 3

/** Rejects invalid UTF-8. The default decoder would silently leave such text encoded. */
function decode(encoded: string): string {
  try {
    return decodeURIComponent(encoded.replaceAll('+', ' '))
  } catch {
    throw unreadable()
  }
}

/** Parses form fields into the shape of a JSON body with string values (conventions-41). */
export function parseForm(text: string): object {
  if (text.includes('\ufffd')) throw unreadable()
  try {
    const fields = parse(text, {
      decoder: decode,
      allowEmptyArrays: true,
      arrayLimit: MAX_ITEMS,
      depth: MAX_DEPTH,
      parameterLimit: MAX_FIELDS,
      strictDepth: true,
      throwOnLimitExceeded: true,
    })
    return fromForm(fields)
  } catch (error) {
    throw error instanceof RangeError ? tooLarge() : error
  }
}

export async function acceptForms(server: Server): Promise<void> {
  await server.register(formbody, {
    parser: (text) => (text === '' ? undefined : parseForm(text)) as Record<string, unknown>,
  })
}

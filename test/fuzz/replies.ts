import { Ajv, type ValidateFunction } from 'ajv'
import type { Server } from '#platform/http'
import type { Answer } from '#test/world.ts'
import type { Operation } from './operations.ts'

type Responses = Record<string, { $ref?: string; content?: Record<string, unknown> }>
type Document = { paths: Record<string, Record<string, { responses: Responses }>> }

export type Fault = 'a 5xx' | 'an undeclared status' | 'a schema violation'

/**
 * Compares replies with the API description, which clients read. The hooks of `createWorld` compare them with the
 * schemas of the routes.
 */
export function createReplyCheck(
  app: Server,
): (operation: Operation, answer: Answer) => { fault: Fault; because: string } | undefined {
  const document = app.swagger() as unknown as Document
  const ajv = new Ajv({ strict: false, validateFormats: false })
  ajv.addSchema({ $id: 'api', ...document })
  const compiled = new Map<string, ValidateFunction>()

  function validatorOf(pointer: string): ValidateFunction {
    const known = compiled.get(pointer) ?? ajv.compile({ $ref: `api#${pointer}` })
    compiled.set(pointer, known)
    return known
  }

  return (operation, { status, body, headers }) => {
    const shown = `${status} ${JSON.stringify(body)}`
    // The hooks of createWorld answer 500 for an error that the operation does not declare.
    if (status >= 500)
      return {
        fault: String(body?.message).includes('does not declare') ? 'an undeclared status' : 'a 5xx',
        because: shown,
      }
    const verb = operation.method.toLowerCase()
    const { responses } = document.paths[operation.path]?.[verb] ?? { responses: {} }
    let place = `/paths/${encodePointer(operation.path)}/${verb}/responses/${status}`
    let declared = responses[String(status)]
    if (!declared) return { fault: 'an undeclared status', because: shown }
    if (declared.$ref) {
      place = declared.$ref.slice(1)
      declared = place
        .split('/')
        .slice(1)
        .reduce<Record<string, unknown>>(
          (value, name) => value[name] as Record<string, unknown>,
          document as unknown as Record<string, unknown>,
        ) as Responses[string]
    }
    const type = String(headers['content-type'] ?? '').split(';')[0] ?? ''
    if (body === null || body === undefined)
      return declared.content && status !== 204 && !isEmptyAllowed(declared.content)
        ? { fault: 'a schema violation', because: `${status} has no body` }
        : undefined
    const types = Object.keys(declared.content ?? {})
    if (!types.includes(type))
      return { fault: 'a schema violation', because: `${status} is ${type}, and ${types} is declared` }
    if (!type.includes('json')) return undefined
    const validate = validatorOf(`${place}/content/${encodePointer(type)}/schema`)
    return validate(body)
      ? undefined
      : { fault: 'a schema violation', because: `${status}: ${ajv.errorsText(validate.errors)}` }
  }
}

/** Files may be empty. */
const isEmptyAllowed = (content: object) => !Object.keys(content).includes('application/json')

const encodePointer = (text: string) => encodeURIComponent(text.replaceAll('~', '~0').replaceAll('/', '~1'))

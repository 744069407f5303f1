import type { FastifyRequest } from 'fastify'
import { saveUpload } from '#modules/files/index.ts'
import type { Context } from '#platform/context.ts'
import { invalidField } from '#platform/errors.ts'
import { viewerOf } from '#platform/http.ts'
import { compileInput } from '#platform/input.ts'
import { GroupChanges, NewGroup } from './schema.ts'

const checkNew = compileInput(NewGroup)
const checkChanges = compileInput(GroupChanges)

/** Fields of a form as a body: `tags[]`, `tags[0]` and `tags[0][id]` all are parts of the list `tags`. */
function bodyOf(fields: [name: string, value: string][]): Record<string, unknown> {
  const body: Record<string, unknown> = {}
  for (const [name, value] of fields) {
    const bracket = name.indexOf('[')
    if (bracket === -1) body[name] = value.startsWith('[{') ? parsed(value) : value
    else {
      const list = name.slice(0, bracket)
      body[list] = [...((body[list] as unknown[] | undefined) ?? []), value]
    }
  }
  return body
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** The parser reports a form that ends early as a plain error, without a code to know it by. */
const isCutShort = (error: unknown) =>
  error instanceof Error &&
  /unexpected end|multipart: boundary not found|part terminated early|premature close/i.test(error.message)

const cutShort = () =>
  invalidField('avatar', { en: 'The form ends early.', zh: '表单内容不完整。' }, 'form_broken')

/** The body, from JSON or from a form that holds the picture itself (R §20.1). */
async function readBody(ctx: Context, request: FastifyRequest): Promise<Record<string, unknown>> {
  if (!request.isMultipart()) return (request.body ?? {}) as Record<string, unknown>
  const fields: [string, string][] = []
  let avatar: number | undefined
  try {
    for await (const part of request.parts()) {
      if (part.type === 'field') fields.push([part.fieldname, String(part.value)])
      else if (part.fieldname === 'avatar')
        avatar = await saveUpload(ctx, viewerOf(request).id, part.file, 'avatar')
      else part.file.resume()
    }
  } catch (error) {
    throw isCutShort(error) ? cutShort() : error
  }
  return { ...bodyOf(fields), ...(avatar === undefined ? {} : { avatar }) }
}

async function read<T>(
  ctx: Context,
  request: FastifyRequest,
  check: ReturnType<typeof compileInput>,
): Promise<T> {
  const checked = check(await readBody(ctx, request))
  if ('error' in checked) throw checked.error
  return checked.value as T
}

/** A new circle as it was sent; 422 where it is not valid. */
export const readNewGroup = (ctx: Context, request: FastifyRequest) => read<NewGroup>(ctx, request, checkNew)

/** Changes of a circle as they were sent. */
export const readGroupChanges = (ctx: Context, request: FastifyRequest) =>
  read<GroupChanges>(ctx, request, checkChanges)

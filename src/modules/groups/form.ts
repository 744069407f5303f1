import type { Multipart } from '@fastify/multipart'
import { isCutShort, saveUpload } from '#modules/files/index.ts'
import type { Context } from '#platform/context.ts'
import { compileInput } from '#platform/input.ts'
import { formCutShort } from './errors.ts'
import { GroupChanges, NewGroup } from './schema.ts'

const checkNew = compileInput(NewGroup)
const checkChanges = compileInput(GroupChanges)

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

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

/** The body of a form that holds the picture itself (groups-2). */
export async function readForm(
  ctx: Context,
  senderId: number,
  parts: AsyncIterable<Multipart>,
): Promise<Record<string, unknown>> {
  const fields: [string, string][] = []
  let avatar: number | undefined
  try {
    for await (const part of parts) {
      if (part.type === 'field') fields.push([part.fieldname, String(part.value)])
      else if (part.fieldname === 'avatar') avatar = await saveUpload(ctx, senderId, part.file, 'avatar')
      else part.file.resume()
    }
  } catch (error) {
    throw isCutShort(error) ? formCutShort() : error
  }
  return { ...bodyOf(fields), ...(avatar === undefined ? {} : { avatar }) }
}

function checked<T>(check: ReturnType<typeof compileInput>, body: unknown): T {
  const result = check(body)
  if ('error' in result) throw result.error
  return result.value as T
}

/** A new group as it was sent; 422 where it is not valid. */
export const checkNewGroup = (body: unknown) => checked<NewGroup>(checkNew, body)

/** Changes of a group as they were sent. */
export const checkGroupChanges = (body: unknown) => checked<GroupChanges>(checkChanges, body)

import type { Multipart } from '@fastify/multipart'
import { isTruncatedUpload, saveUpload } from '#modules/files/index.ts'
import type { Context } from '#platform/context.ts'
import { compileInput, parseForm } from '#platform/http'
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

/** Converts form fields to a body. Parses a list of objects from JSON. */
function bodyOf(fields: [name: string, value: string][]): Record<string, unknown> {
  const body = parseForm(new URLSearchParams(fields).toString()) as Record<string, unknown>
  for (const [name, value] of fields) if (value.startsWith('[{')) body[name] = parsed(value)
  return body
}

/** Reads a multipart form with the picture inside (groups-2). */
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
    throw isTruncatedUpload(error) ? formCutShort() : error
  }
  return { ...bodyOf(fields), ...(avatar === undefined ? {} : { avatar }) }
}

function checked<T>(check: ReturnType<typeof compileInput>, body: unknown): T {
  const result = check(body)
  if ('error' in result) throw result.error
  return result.value as T
}

/** Validates a new group. Throws 422. */
export const checkNewGroup = (body: unknown) => checked<NewGroup>(checkNew, body)

export const checkGroupChanges = (body: unknown) => checked<GroupChanges>(checkChanges, body)

import assert from 'node:assert/strict'
import { decode, type Rules } from '#test/clients/models/decode.ts'
import { newPicture } from '#test/fixtures/uploads.ts'
import type { Answer, Person, World } from '#test/world.ts'

/** Name, type and value. A name may repeat. */
export type Parameter = [name: string, type: keyof typeof WRITTEN | 'file', value: unknown]

/** `short` is a text of fewer than five characters, which the iOS client demands after a change. */
type MessageForm = 'text' | 'list' | 'either' | 'short'

export type Call = {
  name: string
  as: 'guest' | 'reader' | 'writer'
  call: string
  query?: Parameter[]
  form?: Parameter[]
  json?: Parameter[]
  multipart?: Parameter[]
  status: number
  /** Form of `message` that the client declares. */
  message?: MessageForm
  /** Required parameter. Without it the server answers 422. */
  needs?: string
  /**
   * Field paths. `!` rejects null, and `[]` means every item. `=` compares the value, `~` matches a pattern, and `:`
   * names the declared type.
   */
  reads?: string[]
  /** Model that decodes the reply. */
  model?: string
}

export type Client = {
  /** A client and its forks, which send and decode alike. */
  clients: string[]
  decodes: Rules
  error: { message: 'text'; errors: 'lists' }
  calls: Call[]
}

/** Spelling of a value in a query or a form, by its declared type. */
const WRITTEN = {
  text: String,
  int: String,
  number: String,
  ids: String,
  /** Word. */
  bool: String,
  /** Number. */
  flag: (value: unknown) => String(Number(value)),
  list: (value: unknown) => JSON.stringify(value),
  object: (value: unknown) => JSON.stringify(value),
}

/** Sends parameters in the places where the client puts them. */
export async function sendAs(
  world: World,
  who: Person | undefined,
  { call, query = [], form, json, multipart }: Pick<Call, 'call' | 'query' | 'form' | 'json' | 'multipart'>,
): Promise<Answer> {
  const [method, path] = call.split(' ') as ['GET', string]
  const asked = query.map(([name, type, value]) => encodeParameter(name, type, value)).join('&')
  const url = asked === '' ? path : `${path}?${asked}`
  const [body, type] = await encodeBody({ form, json, multipart })
  const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type }
  return who ? world.as(who, method, url, body, headers) : world.guest(method, url, body, headers)
}

const encodeParameter = (name: string, type: Parameter[1], value: unknown): string =>
  `${encodeURIComponent(name)}=${encodeURIComponent(type === 'file' ? '' : WRITTEN[type](value))}`

async function encodeBody({
  form,
  json,
  multipart,
}: {
  form: Parameter[] | undefined
  json: Parameter[] | undefined
  multipart: Parameter[] | undefined
}): Promise<[body?: unknown, type?: string]> {
  if (json)
    return [
      JSON.stringify(Object.fromEntries(json.map(([name, , value]) => [name, value]))),
      'application/json',
    ]
  if (form)
    return [
      form.map(([name, type, value]) => encodeParameter(name, type, value)).join('&'),
      'application/x-www-form-urlencoded',
    ]
  if (!multipart) return []
  const data = new FormData()
  for (const [name, type, value] of multipart)
    if (type === 'file') data.append(name, new Blob([new Uint8Array(await newPicture())]), String(value))
    else data.append(name, WRITTEN[type](value))
  const encoded = new Response(data)
  return [Buffer.from(await encoded.arrayBuffer()), encoded.headers.get('content-type') ?? '']
}

export function checkMessage(rules: Rules, form: MessageForm, body: Answer['body']): void {
  const isText = decode({}, rules, 'text!', body?.message).length === 0 && !Array.isArray(body?.message)
  const isList = decode({}, rules, '[text]!', body?.message).length === 0 && body.message.length > 0
  const shown = `message is ${JSON.stringify(body?.message)}, and a ${form} is read`
  if (form === 'text') assert.ok(isText, shown)
  else if (form === 'list') assert.ok(isList, shown)
  else if (form === 'short') assert.ok(isText && body.message.length < 5, shown)
  else assert.ok(isText || isList, shown)
}

/** Every client shows the text of an error, and the first text of each field. */
export function checkError(rules: Rules, body: Answer['body'], field?: string): void {
  checkMessage(rules, 'text', body)
  if (field === undefined) return
  assert.deepEqual(decode({}, rules, '[text]!', body.errors?.[field]), [], `no text about ${field}`)
}

function valuesAt(value: unknown, steps: string[], where: string): unknown[] {
  const [step, ...rest] = steps
  if (step === undefined) return [value]
  if (step === '[]') {
    assert.ok(Array.isArray(value), `${where} is no list`)
    return rest.length === 0 ? [value] : value.flatMap((item) => valuesAt(item, rest, where))
  }
  assert.ok(typeof value === 'object' && value !== null && step in value, `${where}: no ${step}`)
  return valuesAt((value as Record<string, unknown>)[step], rest, where)
}

export function checkRead(rules: Rules, body: unknown, read: string): void {
  const [, place = '', needed, operator, wanted = ''] = /^(.*?)(!?)(?:(:| [=~]) (.*))?$/.exec(read) ?? []
  const steps = place
    .split('.')
    .flatMap((step) => step.split(/(?=\[\])/))
    .filter((step) => step !== '')
  const found = valuesAt(body, steps, place)
  assert.ok(found.length > 0, `${place}: the list is empty, so nothing was proven`)
  for (const value of found) {
    if (needed) assert.ok(value !== null && value !== undefined, `${place} is ${value}`)
    if (operator === ' =') assert.equal(String(value), wanted, place)
    if (operator === ' ~') assert.match(String(value), new RegExp(wanted), place)
    if (operator === ':') assert.deepEqual(decode({}, rules, wanted, value, { place }), [])
  }
}

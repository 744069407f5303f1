import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { notify } from '#modules/notifications/index.ts'
import { SYSTEM_NOTICES, SYSTEM_TYPES } from '#modules/notifications/system/notices.ts'
import { transaction } from '#platform/database'
import { createWorld } from '#test/world.ts'

type Known = {
  /** Fields that the client renders. A missing field leaves a gap or crashes the screen. */
  reads: string[]
  /** Values of `state` that the client renders as rejected. Every other value renders as accepted. */
  refused?: string[]
  /** Set when the client shows the server's text unchanged, so that it cannot show a wrong state. */
  text?: true
  /**
   * Meaning of the type in the client, if it differs from the server's. The server must never send the type.
   */
  means?: string
}
type Client = { unknown: 'blank' | 'contents'; known: Record<string, Known> }

const CLIENTS: Record<string, Client> = JSON.parse(
  readFileSync(new URL('shown.json', import.meta.url), 'utf8'),
)
const { as, person, sql } = await createWorld()

const statesOf = (type: (typeof SYSTEM_TYPES)[number]) => [
  ...(SYSTEM_NOTICES[type].fields.state ?? '').matchAll(/`([^`]+)`/g).map(([, state]) => state),
  ...(/^`/.test(SYSTEM_NOTICES[type].fields.state ?? '') && !type.startsWith('group:report-')
    ? []
    : [undefined]),
]

const valueAt = (data: object, place: string): unknown =>
  place
    .split('.')
    .reduce<unknown>((found, step) => (found as Record<string, unknown> | undefined)?.[step], data)

const stored = { subject: 'A title', amount: 5, channel: 'feed', raw: 1, answer: { id: 7, question_id: 8 } }

describe('sends only system notifications that existing clients can render (notifications-9)', () => {
  for (const type of SYSTEM_TYPES)
    for (const state of statesOf(type))
      test(`renders ${type} ${state ?? ''}`, async () => {
        const [reader, sender] = [await person(), await person()]
        await transaction(sql, (tx) =>
          notify(tx, {
            type: 'system',
            recipients: [reader.id],
            senderId: sender.id,
            cause: { type: 'users', id: sender.id },
            data: { type, ...stored, ...(state === undefined ? {} : { state }) },
          }),
        )
        const { data } = (await as(reader, 'GET', '/user/notifications?type=system')).body.data[0]
        assert.equal(data.kind, type)
        for (const [name, { unknown, known }] of Object.entries(CLIENTS)) {
          const shown = known[data.type]
          const says = `${name} shows ${data.type}`
          assert.ok(shown ?? unknown === 'contents', `${says} as a blank row`)
          for (const place of shown?.reads ?? ['contents'])
            assert.ok(
              !['', null, undefined].includes(valueAt(data, place) as never),
              `${says} without ${place}`,
            )
          assert.equal(shown?.means, undefined, `${says} as something else`)
          const isRefusal = state === 'rejected' || type.endsWith(':reject')
          if (isRefusal && shown && !shown.text)
            assert.ok(shown.refused?.includes(data.state), `${says} as accepted`)
          if (state === 'passed') assert.ok(!shown?.refused?.includes(data.state), `${says} as refused`)
          // Android would display the subject instead of the text.
          if (data.type === 'news:audit') assert.ok(!('subject' in data))
        }
      })
})

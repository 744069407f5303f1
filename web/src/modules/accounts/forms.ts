import type { Posted } from '../../app/page.ts'
import { nextPath } from './session.ts'
import { unlinkIn } from './unlink.tsx'

type Answer = { status: number; header(name: string): string | null; body: unknown }
type Fields = Record<string, string>
type Given = {
  fields: Fields
  search: URLSearchParams
  /** Sends a request to the API as a guest. A token in the reply becomes the session. */
  send(method: string, path: string, payload: object): Promise<Answer>
}
type Outcome = { location: string } | { posted: Posted }

function messageIn(body: unknown): string {
  const { message, errors } = Object(body) as {
    message?: string | string[]
    errors?: Record<string, string[]>
  }
  return Object.values(errors ?? {}).flat()[0] ?? [message].flat()[0] ?? ''
}

/** Fields that the page shows again, without the password. */
const shown = ({ password: _, ...fields }: Fields, step: Posted['step'], answer?: Answer): Outcome => ({
  posted: {
    fields,
    step,
    failure: answer ? messageIn(answer.body) : '',
    code: answer?.header('x-error-code') ?? '',
  },
})

const isDone = ({ status }: Answer) => status < 300

/** Writes of the forms that work without scripts, by the path of their page. */
export const FORMS: Record<string, (given: Given) => Promise<Outcome>> = {
  async '/sign-in'({ fields, search, send }) {
    const { login = '', password = '', second_factor } = fields
    const body = { login, password, ...(second_factor ? { second_factor } : {}) }
    const answer = await send('POST', 'auth/login', body)
    return isDone(answer) ? { location: nextPath(search) } : shown(fields, 'first', answer)
  },

  async '/join'({ fields, send }) {
    const { email, phone, invitation, code, name, password, introduction, agreed } = fields
    const address = phone === undefined ? { email } : { phone }
    const invited = invitation ? { invitation_code: invitation } : {}
    if (code === undefined) {
      const asked = await send('POST', 'verifycodes/register', { ...address, ...invited })
      return isDone(asked) ? shown(fields, 'code') : shown(fields, 'first', asked)
    }
    const answer = await send('POST', 'users', {
      ...address,
      ...invited,
      name,
      verifiable_type: phone === undefined ? 'mail' : 'sms',
      verifiable_code: code,
      password,
      ...(introduction ? { introduction } : {}),
      ...(agreed ? { agreed } : {}),
    })
    if (!isDone(answer)) return shown(fields, 'code', answer)
    return answer.status === 202 ? shown({}, 'waiting') : { location: '/' }
  },

  async '/unsubscribe'({ fields, search, send }) {
    const token = encodeURIComponent(fields.token ?? search.get('token') ?? '')
    const answer = await send('POST', `digest/unsubscribe/${token}`, {})
    return isDone(answer) ? shown({}, 'waiting') : shown(fields, 'first', answer)
  },

  async '/forgotten-password'({ fields, send }) {
    const { address = '', code, password, ...rest } = fields
    const to = address.trim()
    const target = to.includes('@') ? { email: to } : { phone: to }
    if (code === undefined) {
      const asked = await send('POST', 'verifycodes', target)
      return isDone(asked) ? shown(fields, 'code') : shown(fields, 'first', asked)
    }
    const answer = await send('PUT', 'user/retrieve-password', {
      ...target,
      verifiable_type: to.includes('@') ? 'mail' : 'sms',
      verifiable_code: code,
      password,
      ...unlinkIn(rest),
    })
    return isDone(answer) ? { location: '/sign-in?reset=1' } : shown(fields, 'code', answer)
  },
}

import { useState } from 'preact/hooks'
import { useSite } from '../../../app/site.ts'
import { useToast } from '../../../app/toast.tsx'
import { useWords, words } from '../../../app/words.ts'
import { Field, type Given } from '../../../ui/form.tsx'

const WORDS = words({
  password: ['Your password', '登录密码'],
  code: ['Verification code', '验证码'],
  send: ['Send code', '发送验证码'],
  sent: ['The code was sent.', '验证码已发送。'],
  factor: ['Code from your authenticator app, if you use one', '身份验证器动态码（如已启用）'],
  name: ['Enter your username to confirm', '输入用户名以确认'],
})

export function Proof({ withFactor }: { withFactor?: boolean }) {
  const t = useWords(WORDS)
  const { viewer, api } = useSite()
  const { say, fail } = useToast()
  const [isSent, setIsSent] = useState(false)
  if (!viewer) return null
  const { phone, email } = viewer
  if (viewer.initial_password)
    return (
      <>
        <Field label={t.password} name="password" type="password" autocomplete="current-password" required />
        {withFactor && (
          <Field label={t.factor} name="second_factor" autocomplete="one-time-code" maxLength={32} />
        )}
      </>
    )
  if (!phone && !email) return <Field label={t.name} name="name" required />
  const send = () =>
    api.post('/verifycodes', { body: phone ? { phone } : { email: email as string } }).then(() => {
      setIsSent(true)
      say(t.sent)
    }, fail)
  return isSent ? (
    <Field label={t.code} name="code" inputMode="numeric" autocomplete="one-time-code" required />
  ) : (
    <button type="button" class="button is-quiet" onClick={send}>
      {t.send}
    </button>
  )
}

export const proofOf = ({ password, code, second_factor, name }: Given) => ({
  ...(password ? { password } : {}),
  ...(code ? { verifiable_code: Number(code) } : {}),
  ...(second_factor ? { second_factor } : {}),
  ...(name ? { name } : {}),
})

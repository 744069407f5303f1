import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { useSite } from '../../../app/site.ts'
import { useToast } from '../../../app/toast.tsx'
import { useWords, words } from '../../../app/words.ts'
import { Dialog } from '../../../ui/dialog.tsx'
import { Field, Form } from '../../../ui/form.tsx'

const WORDS = words({
  email: ['E-mail', '邮箱'],
  phone: ['Phone', '手机号'],
  none: ['Not set', '未绑定'],
  newEmail: ['New e-mail address', '新邮箱'],
  newPhone: ['New phone number, with country code', '新手机号（含国际区号）'],
  sendCode: ['Send code', '发送验证码'],
  sent: ['The code was sent.', '验证码已发送。'],
  code: ['Verification code', '验证码'],
  password: ['Current password', '当前密码'],
  bind: ['Save', '保存'],
  bound: ['Saved.', '已保存。'],
  remove: ['Remove', '解绑'],
  removed: ['Removed.', '已解绑。'],
  again: ['Start over', '重新填写'],
})

type Kind = 'email' | 'phone'

const CODE = { inputMode: 'numeric', autocomplete: 'one-time-code', pattern: '[0-9]{4,6}' } as const

export function Address({ kind }: { kind: Kind }) {
  const t = useWords(WORDS)
  const { api, viewer } = useSite()
  const { say } = useToast()
  const [wanted, setWanted] = useState('')
  const [isRemoving, setIsRemoving] = useState(false)
  const bound = viewer?.[kind]
  const bodyOf = (address: string) => (kind === 'email' ? { email: address } : { phone: address })
  const password = viewer?.initial_password && (
    <Field label={t.password} name="password" type="password" autocomplete="current-password" required />
  )
  return (
    <>
      <h2>{t[kind]}</h2>
      <p class="pair">
        <span>{bound ?? t.none}</span>
        {bound && viewer?.initial_password && (
          <button
            type="button"
            class="button is-quiet"
            aria-label={`${t.remove}: ${bound}`}
            onClick={() => setIsRemoving(true)}
          >
            {t.remove}
          </button>
        )}
      </p>
      <Form
        label={wanted ? t.bind : t.sendCode}
        send={async (given) => {
          if (!wanted) {
            await api.post('/verifycodes/register', { body: bodyOf(given[kind] ?? '') })
            say(t.sent)
            return setWanted(given[kind] ?? '')
          }
          const proof = given.password ? { password: given.password } : {}
          await api.put('/user', {
            body: { ...bodyOf(wanted), verifiable_code: Number(given.new_code), ...proof },
          })
          say(t.bound)
          location.reload()
        }}
      >
        <Field
          label={kind === 'email' ? t.newEmail : t.newPhone}
          name={kind}
          type={kind === 'email' ? 'email' : 'tel'}
          required
          maxLength={128}
          readOnly={wanted !== ''}
        />
        {wanted && (
          <>
            <Field label={t.code} name="new_code" required {...CODE} />
            {password}
          </>
        )}
      </Form>
      {wanted && (
        <button type="button" class="button is-quiet" onClick={() => setWanted('')}>
          {t.again}
        </button>
      )}
      {isRemoving && bound && (
        <Remove kind={kind} bound={bound} onClose={() => setIsRemoving(false)}>
          {password}
        </Remove>
      )}
    </>
  )
}

function Remove({
  kind,
  bound,
  children,
  onClose,
}: {
  kind: Kind
  bound: string
  children: ComponentChildren
  onClose(): void
}) {
  const t = useWords(WORDS)
  const { api } = useSite()
  const { say } = useToast()
  const [isSent, setIsSent] = useState(false)
  return (
    <Dialog title={`${t.remove}: ${bound}`} onClose={onClose}>
      <Form
        label={isSent ? t.remove : t.sendCode}
        isDanger={isSent}
        send={async ({ password = '', old_code }) => {
          if (!isSent) {
            await api.post('/verifycodes', { body: kind === 'email' ? { email: bound } : { phone: bound } })
            say(t.sent)
            return setIsSent(true)
          }
          const body = { password, verifiable_code: Number(old_code) }
          await (kind === 'email' ? api.delete('/user/email', { body }) : api.delete('/user/phone', { body }))
          say(t.removed)
          location.reload()
        }}
      >
        {isSent && (
          <>
            <Field label={t.code} name="old_code" required {...CODE} />
            {children}
          </>
        )}
      </Form>
    </Dialog>
  )
}

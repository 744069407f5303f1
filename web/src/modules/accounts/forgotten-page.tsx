import { useState } from 'preact/hooks'
import { definePage } from '../../app/page.ts'
import { useSite } from '../../app/site.ts'
import { useWords, words } from '../../app/words.ts'
import { Field, Form } from '../../ui/form.tsx'
import { useProviders } from './outside.tsx'
import { Unlink, unlinkIn } from './unlink.tsx'

const WORDS = words({
  title: ['Reset password', '找回密码'],
  lead: [
    'We will send a code to the e-mail address or phone number of your account.',
    '我们会向账号绑定的邮箱或手机发送验证码。',
  ],
  address: ['E-mail or phone', '邮箱或手机号'],
  send: ['Send code', '发送验证码'],
  code: ['Verification code', '验证码'],
  password: ['New password (8 characters or more)', '新密码（至少 8 位）'],
  set: ['Set new password', '设置新密码'],
  again: ['Use another address or ask for a new code', '更换地址或重新获取验证码'],
})

export const page = definePage({
  head: ({ language }) => ({ title: WORDS[language].title, isPrivate: true }),
  body: ({ visit: { posted } }) => {
    const t = useWords(WORDS)
    const { api } = useSite()
    const providers = useProviders()
    const [address, setAddress] = useState(
      posted?.step === 'code' ? (posted.fields.address ?? '').trim() : '',
    )
    return (
      <section class="form card settings">
        <h1>{t.title}</h1>
        <p class="quiet">{t.lead}</p>
        <Form
          posted={posted ?? { failure: '' }}
          label={address ? t.set : t.send}
          send={async (given) => {
            const to = given.address?.trim() ?? ''
            const target = to.includes('@') ? { email: to } : { phone: to }
            if (!address) {
              await api.post('/verifycodes', { body: target })
              return setAddress(to)
            }
            await api.put('/user/retrieve-password', {
              body: {
                ...target,
                verifiable_type: to.includes('@') ? 'mail' : 'sms',
                verifiable_code: Number(given.code),
                password: given.password ?? '',
                ...unlinkIn(given),
              },
            })
            // The page for signing in says that the password was changed.
            location.assign('/sign-in?reset=1')
          }}
        >
          <Field
            label={t.address}
            name="address"
            required
            maxLength={128}
            autocomplete="username"
            defaultValue={posted?.fields.address}
            readOnly={address !== ''}
          />
          {address && (
            <>
              <Field
                label={t.code}
                name="code"
                inputMode="numeric"
                autocomplete="one-time-code"
                pattern="[0-9]{4,6}"
                required
              />
              <Field
                label={t.password}
                name="password"
                type="password"
                autocomplete="new-password"
                minLength={8}
                maxLength={128}
                required
              />
              {providers.length > 0 && <Unlink />}
            </>
          )}
        </Form>
        {address && (
          <p class="quiet">
            <a
              href="/forgotten-password"
              onClick={(event) => {
                event.preventDefault()
                setAddress('')
              }}
            >
              {t.again}
            </a>
          </p>
        )}
      </section>
    )
  },
})

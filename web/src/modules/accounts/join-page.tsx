import { useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import { useFailureText } from '../../app/failures.ts'
import { definePage } from '../../app/page.ts'
import { useSite } from '../../app/site.ts'
import { useWords, words } from '../../app/words.ts'
import { Agreements, agreedVersions, useAgreements } from './agreements.tsx'
import { Providers } from './outside.tsx'
import { join } from './session.ts'

const WORDS = words({
  title: ['Sign up', '注册'],
  email: ['E-mail', '邮箱'],
  phone: ['Phone', '手机号'],
  byPhone: ['Sign up with a phone number', '使用手机号注册'],
  byMail: ['Sign up with an e-mail address', '使用邮箱注册'],
  invitation: ['Invitation code', '邀请码'],
  sendCode: ['Send code', '发送验证码'],
  sent: ['The code was sent.', '验证码已发送。'],
  again: ['Use another address or ask for a new code', '更换地址或重新获取验证码'],
  code: ['Verification code', '验证码'],
  name: ['Username', '用户名'],
  password: ['Password', '密码'],
  introduction: ['Introduction (the administrator reads it)', '自我介绍（供管理员审核）'],
  submit: ['Create account', '创建账号'],
  closed: ['Registration on this site is closed.', '本站暂不开放注册。'],
  outside: ['To sign up, use an account of another service.', '请使用第三方账号注册。'],
  waiting: [
    'Thank you for signing up. An administrator will review your registration and notify you.',
    '感谢注册，管理员审核后会通知你。',
  ],
  have: ['Already have an account?', '已有账号？'],
  signIn: ['Sign in', '登录'],
})

export const page = definePage({
  head: ({ language }) => ({ title: WORDS[language].title, isPrivate: true }),
  body: ({ visit }) => {
    const t = useWords(WORDS)
    const textOf = useFailureText()
    const { api, settings } = useSite()
    const { type = 'all', method = 'all' } = settings.registerSettings as { type?: string; method?: string }
    const { posted } = visit
    const agreed = agreedVersions(useAgreements())
    const isByPhone =
      method === 'mobile-only' || visit.search.has('phone') || posted?.fields.phone !== undefined
    const [kind, setKind] = useState<'mail' | 'sms'>(isByPhone ? 'sms' : 'mail')
    const [fields, setFields] = useState<Record<string, string>>({
      invitation: visit.search.get('invitation') ?? '',
      ...posted?.fields,
    })
    const [isSent, setIsSent] = useState(posted?.step === 'code')
    const [failure, setFailure] = useState(posted?.failure ?? '')
    const [isWaiting, setIsWaiting] = useState(posted?.step === 'waiting')
    const [isBusy, setIsBusy] = useState(false)
    const field = (name: string, label: string, more: object = {}) => (
      <label>
        {label}
        <input
          name={name}
          required
          value={fields[name] ?? ''}
          onInput={({ currentTarget }) => setFields({ ...fields, [name]: currentTarget.value })}
          {...more}
        />
      </label>
    )
    const run = async (work: () => Promise<unknown>) => {
      setIsBusy(true)
      setFailure('')
      await work().catch((error) => setFailure(textOf(error)))
      setIsBusy(false)
    }
    const address = kind === 'mail' ? { email: fields.email ?? '' } : { phone: fields.phone ?? '' }
    const invitation = fields.invitation ? { invitation_code: fields.invitation } : {}
    const send = (event: Event) => {
      event.preventDefault()
      void run(async () => {
        if (!isSent) {
          await api.post('/verifycodes/register', { body: { ...address, ...invitation } })
          setIsSent(true)
          return
        }
        const status = await join({
          ...address,
          ...invitation,
          name: fields.name,
          verifiable_type: kind,
          verifiable_code: Number(fields.code),
          password: fields.password,
          ...(agreed ? { agreed } : {}),
          ...(fields.introduction ? { introduction: fields.introduction } : {}),
        })
        if (status === 202) setIsWaiting(true)
        else location.assign('/')
      })
    }
    if (type === 'closed' || type === 'thirdPart' || isWaiting)
      return (
        <section class="form card">
          <h1>{t.title}</h1>
          <p>{isWaiting ? t.waiting : type === 'closed' ? t.closed : t.outside}</p>
          {type === 'thirdPart' && <Providers next="/" />}
        </section>
      )
    return (
      <form class="form card" method="post" onSubmit={send}>
        <h1>{t.title}</h1>
        {failure && (
          <p class="failure" role="alert">
            {failure}
          </p>
        )}
        {method === 'all' && !isSent && (
          <p class="tabs is-small">
            <button type="button" aria-pressed={kind === 'mail'} onClick={() => setKind('mail')}>
              {t.email}
            </button>
            <button type="button" aria-pressed={kind === 'sms'} onClick={() => setKind('sms')}>
              {t.phone}
            </button>
            <noscript>
              <a href={kind === 'mail' ? '/join?phone' : '/join'}>{kind === 'mail' ? t.byPhone : t.byMail}</a>
            </noscript>
          </p>
        )}
        {kind === 'mail'
          ? field('email', t.email, { type: 'email', autocomplete: 'email', readOnly: isSent })
          : field('phone', t.phone, { type: 'tel', autocomplete: 'tel', readOnly: isSent })}
        {type === 'invited' && field('invitation', t.invitation)}
        {isSent && (
          <>
            <p class="quiet" role="status">
              {t.sent}
            </p>
            {field('code', t.code, {
              inputMode: 'numeric',
              autocomplete: 'one-time-code',
              pattern: '[0-9]{4,6}',
            })}
            {field('name', t.name, { autocomplete: 'username', maxLength: 100 })}
            {field('password', t.password, {
              type: 'password',
              autocomplete: 'new-password',
              minLength: 8,
              maxLength: 128,
            })}
            {type === 'approval' &&
              field('introduction', t.introduction, { maxLength: 500, required: false })}
            <Agreements isChecked={posted?.fields.agreed !== undefined} />
          </>
        )}
        <button class="button is-wide" type="submit" disabled={isBusy}>
          {isSent ? t.submit : t.sendCode}
        </button>
        {isSent && (
          <p class="quiet">
            <a
              href={`/join?${visit.search}`}
              onClick={(event) => {
                event.preventDefault()
                setIsSent(false)
                setFailure('')
              }}
            >
              {t.again}
            </a>
          </p>
        )}
        <Providers next="/" />
        <p class="quiet">
          {t.have} <Link href="/sign-in">{t.signIn}</Link>
        </p>
      </form>
    )
  },
})

import { isKithError } from '@kith/client'
import { useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import { useFailureText } from '../../app/failures.ts'
import type { Posted } from '../../app/page.ts'
import { useWords, words } from '../../app/words.ts'
import { Providers } from './outside.tsx'
import { isFactorCode, needsSecondFactor, signIn } from './session.ts'
import { Suspended } from './suspended.tsx'

const WORDS = words({
  title: ['Sign in', '登录'],
  login: ['Username, e-mail or phone', '用户名、邮箱或手机号'],
  password: ['Password', '密码'],
  code: ['Code from your authenticator app', '身份验证器动态码'],
  submit: ['Sign in', '登录'],
  new: ['New here?', '还没有账号？'],
  join: ['Sign up', '注册'],
  forgotten: ['Forgot your password?', '忘记密码？'],
})

/** The form of the page for signing in. With `name`, a dialog shows it to the member of this name. */
export function SignInForm({
  next,
  name,
  posted = null,
  notice,
  onDone,
}: {
  next: string
  name?: string
  /** Fields and failure of a form that was sent without scripts. */
  posted?: Posted | null
  notice?: string | undefined
  onDone(): void | Promise<void>
}) {
  const t = useWords(WORDS)
  const textOf = useFailureText()
  const [fields, setFields] = useState({
    login: posted?.fields.login ?? name ?? '',
    password: '',
    second_factor: '',
  })
  const [needsCode, setNeedsCode] = useState(isFactorCode(posted?.code))
  const [failure, setFailure] = useState(posted?.failure ?? '')
  const [isBusy, setIsBusy] = useState(false)
  const [isSuspended, setIsSuspended] = useState(false)
  const set = (field: keyof typeof fields) => (event: { currentTarget: HTMLInputElement }) =>
    setFields({ ...fields, [field]: event.currentTarget.value })
  const send = async (event: Event) => {
    event.preventDefault()
    setIsBusy(true)
    try {
      const { second_factor, ...rest } = fields
      await signIn(second_factor ? fields : rest)
      await onDone()
    } catch (error) {
      if (needsSecondFactor(error)) setNeedsCode(true)
      setIsSuspended(isKithError(error) && error.code === 'account_suspended')
      setFailure(textOf(error))
      setIsBusy(false)
    }
  }
  if (isSuspended) {
    const { second_factor, ...rest } = fields
    return <Suspended reason={failure} proof={second_factor ? fields : rest} />
  }
  return (
    <form class={name === undefined ? 'form card' : 'form'} method="post" onSubmit={send}>
      {name === undefined && <h1>{t.title}</h1>}
      {notice && !failure && (
        <p class="quiet" role="status">
          {notice}
        </p>
      )}
      {failure && (
        <p class="failure" role="alert">
          {failure}
        </p>
      )}
      <label>
        {t.login}
        <input
          name="login"
          autocomplete="username"
          required
          maxLength={128}
          value={fields.login}
          onInput={set('login')}
        />
      </label>
      <label>
        {t.password}
        <input
          name="password"
          type="password"
          autocomplete="current-password"
          // The dialog knows the name already.
          autofocus={name !== undefined}
          required
          maxLength={128}
          value={fields.password}
          onInput={set('password')}
        />
      </label>
      {needsCode && (
        <label>
          {t.code}
          <input
            name="second_factor"
            autocomplete="one-time-code"
            inputMode="numeric"
            maxLength={32}
            value={fields.second_factor}
            onInput={set('second_factor')}
          />
        </label>
      )}
      <button class="button is-wide" type="submit" disabled={isBusy}>
        {t.submit}
      </button>
      <Providers next={next} />
      {name === undefined && (
        <p class="quiet">
          {t.new} <Link href="/join">{t.join}</Link>
        </p>
      )}
      <p class="quiet">
        <Link href="/forgotten-password" {...(name === undefined ? {} : { target: '_blank' })}>
          {t.forgotten}
        </Link>
      </p>
    </form>
  )
}

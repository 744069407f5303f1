import { isKithError } from '@kith/client'
import { useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import { useFailureText } from '../../app/failures.ts'
import { definePage } from '../../app/page.ts'
import { useWords, words } from '../../app/words.ts'
import { Providers } from './outside.tsx'
import { isFactorCode, needsSecondFactor, nextPath, signIn } from './session.ts'
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
  reset: ['Your password was changed. Sign in with the new password.', '密码已修改，请使用新密码登录。'],
})

export const page = definePage({
  head: ({ language }) => ({ title: WORDS[language].title, isPrivate: true }),
  body: ({ visit }) => {
    const t = useWords(WORDS)
    const textOf = useFailureText()
    const { posted } = visit
    const [fields, setFields] = useState({
      login: posted?.fields.login ?? '',
      password: '',
      second_factor: '',
    })
    const [needsCode, setNeedsCode] = useState(isFactorCode(posted?.code))
    const [failure, setFailure] = useState(posted?.failure ?? '')
    const [isBusy, setIsBusy] = useState(false)
    const [isSuspended, setIsSuspended] = useState(false)
    const set = (name: keyof typeof fields) => (event: { currentTarget: HTMLInputElement }) =>
      setFields({ ...fields, [name]: event.currentTarget.value })
    const send = async (event: Event) => {
      event.preventDefault()
      setIsBusy(true)
      try {
        const { second_factor, ...rest } = fields
        await signIn(second_factor ? fields : rest)
        location.assign(nextPath(visit.search))
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
      <form class="form card" method="post" onSubmit={send}>
        <h1>{t.title}</h1>
        {visit.search.has('reset') && !failure && (
          <p class="quiet" role="status">
            {t.reset}
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
        <Providers next={nextPath(visit.search)} />
        <p class="quiet">
          {t.new} <Link href="/join">{t.join}</Link>
        </p>
        <p class="quiet">
          <Link href="/forgotten-password">{t.forgotten}</Link>
        </p>
      </form>
    )
  },
})

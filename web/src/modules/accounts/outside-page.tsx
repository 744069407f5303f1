import { isKithError } from '@kith/client'
import { useEffect, useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import { useFailureText } from '../../app/failures.ts'
import { definePage } from '../../app/page.ts'
import { useSite } from '../../app/site.ts'
import { useWords, words } from '../../app/words.ts'
import { Field, Form, type Given } from '../../ui/form.tsx'
import { Agreements } from './agreements.tsx'
import { enter, takeDeparture, useProviders } from './outside.tsx'
import { needsSecondFactor } from './session.ts'
import { Proof, proofOf } from './settings/proof.tsx'

const WORDS = words({
  title: [(name: string) => `Sign in with ${name}`, (name: string) => `使用 ${name} 登录`],
  checking: ['One moment…', '请稍候…'],
  again: ['Back', '返回'],
  scripts: ['This way of signing in needs JavaScript.', '此登录方式需要启用 JavaScript。'],
  lost: [
    'This sign-in has expired or was started in another browser. Start again.',
    '登录请求已过期，或不是从此浏览器发起的，请重新开始。',
  ],
  refused: ['You cancelled the sign-in.', '你已取消登录。'],
  code: ['Code from your authenticator app', '身份验证器动态码'],
  signIn: ['Sign in', '登录'],
  unknown: [
    (name: string) => `Your ${name} account is not linked to an account on this site yet.`,
    (name: string) => `你的 ${name} 账号尚未绑定本站账号。`,
  ],
  new: ['I am new here', '我是新用户'],
  name: ['Username', '用户名'],
  invitation: ['Invitation code', '邀请码'],
  introduction: ['Introduction (the administrator reads it)', '自我介绍（供管理员审核）'],
  join: ['Create account', '创建账号'],
  closed: ['Registration on this site is closed.', '本站暂不开放注册。'],
  waiting: [
    'Thank you for signing up. An administrator will review your registration and notify you.',
    '感谢注册，管理员审核后会通知你。',
  ],
  member: ['I have an account here', '我已有账号'],
  login: ['Username, e-mail or phone', '用户名、邮箱或手机号'],
  password: ['Password', '密码'],
  factor: ['Code from your authenticator app, if you use one', '身份验证器动态码（如已启用）'],
  linkAndEnter: ['Link and sign in', '绑定并登录'],
  link: [(name: string) => `Link ${name}`, (name: string) => `绑定 ${name}`],
})

type Step =
  | { at: 'checking' | 'waiting' }
  | { at: 'failed'; failure: string }
  | { at: 'factor' | 'unknown' | 'link'; token: string; next: string }

export const page = definePage({
  head: ({ language, params }) => ({ title: WORDS[language].title(params.provider ?? ''), isPrivate: true }),
  body: ({ visit }) => {
    const t = useWords(WORDS)
    const textOf = useFailureText()
    const { api, viewer } = useSite()
    const provider = visit.params.provider ?? ''
    const label = useProviders().find(({ name }) => name === provider)?.label ?? provider
    const [step, setStep] = useState<Step>({ at: 'checking' })
    const fail = (error: unknown) => setStep({ at: 'failed', failure: textOf(error) })
    const tryEntry = async (token: string, next: string, given: Given = {}) => {
      try {
        await enter('POST', provider, { access_token: token, ...given })
        location.assign(next)
      } catch (error) {
        if (isKithError(error) && error.code === 'not_linked') return setStep({ at: 'unknown', token, next })
        if (!needsSecondFactor(error)) throw error
        if (given.second_factor) throw error
        setStep({ at: 'factor', token, next })
      }
    }
    useEffect(() => {
      const { search } = visit
      const [code, state, iss] = ['code', 'state', 'iss'].map((name) => search.get(name) ?? undefined)
      // Removes the single-use code from the browser history.
      history.replaceState(null, '', location.pathname)
      const kept = takeDeparture(provider)
      if (search.has('error')) return setStep({ at: 'failed', failure: t.refused })
      if (!kept || !code || !state) return setStep({ at: 'failed', failure: t.lost })
      const { verification, purpose, next } = kept
      const arrive = async () => {
        const { access_token: token } = await api.post('/socialite/{provider}/returns', {
          params: { path: { provider } },
          body: { code, state, verification, ...(iss ? { iss } : {}) },
        })
        if (purpose === 'link' && viewer) setStep({ at: 'link', token, next })
        else await tryEntry(token, next)
      }
      arrive().catch(fail)
    }, [])
    return (
      <section class="form card settings">
        <h1>{t.title(label)}</h1>
        {step.at === 'checking' && <p role="status">{t.checking}</p>}
        <noscript>
          <p>{t.scripts}</p>
        </noscript>
        {step.at === 'waiting' && <p role="status">{t.waiting}</p>}
        {step.at === 'failed' && (
          <>
            <p class="failure" role="alert">
              {step.failure}
            </p>
            <p>
              <Link href={viewer ? '/account/security' : '/sign-in'}>{t.again}</Link>
            </p>
          </>
        )}
        {step.at === 'factor' && (
          <Form label={t.signIn} send={(given) => tryEntry(step.token, step.next, given)}>
            <Field label={t.code} name="second_factor" autocomplete="one-time-code" maxLength={32} required />
          </Form>
        )}
        {step.at === 'unknown' && (
          <Unknown
            provider={provider}
            label={label}
            token={step.token}
            onEntry={() => location.assign(step.next)}
            onWait={() => setStep({ at: 'waiting' })}
          />
        )}
        {step.at === 'link' && (
          <Form
            label={t.link(label)}
            send={async (given) => {
              await api.patch('/user/socialite/{provider}', {
                params: { path: { provider } },
                body: { access_token: step.token, ...proofOf(given) },
              })
              location.assign(step.next)
            }}
          >
            <Proof withFactor />
          </Form>
        )}
      </section>
    )
  },
})

function Unknown({
  provider,
  label,
  token,
  onEntry,
  onWait,
}: {
  provider: string
  label: string
  token: string
  onEntry(): void
  onWait(): void
}) {
  const t = useWords(WORDS)
  const { settings } = useSite()
  const { type = 'all' } = settings.registerSettings as { type?: string }
  const withProof = (given: Given) => ({
    access_token: token,
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== '')),
  })
  return (
    <>
      <p>{t.unknown(label)}</p>
      <h2>{t.new}</h2>
      {type === 'closed' ? (
        <p>{t.closed}</p>
      ) : (
        <Form
          label={t.join}
          send={async (given) =>
            (await enter('PATCH', provider, withProof(given))) === 202 ? onWait() : onEntry()
          }
        >
          <Field label={t.name} name="name" autocomplete="username" maxLength={100} required />
          {type === 'invited' && (
            <Field label={t.invitation} name="invitation_code" required maxLength={64} />
          )}
          {type === 'approval' && <Field label={t.introduction} name="introduction" maxLength={500} />}
          <Agreements />
        </Form>
      )}
      <hr />
      <h2>{t.member}</h2>
      <Form
        label={t.linkAndEnter}
        send={async (given) => {
          await enter('PUT', provider, withProof(given))
          onEntry()
        }}
      >
        <Field label={t.login} name="login" autocomplete="username" maxLength={128} required />
        <Field
          label={t.password}
          name="password"
          type="password"
          autocomplete="current-password"
          maxLength={128}
          required
        />
        <Field label={t.factor} name="second_factor" autocomplete="one-time-code" maxLength={32} />
      </Form>
    </>
  )
}

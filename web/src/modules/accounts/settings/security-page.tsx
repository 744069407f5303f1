import { useQueryClient } from '@tanstack/preact-query'
import { useState } from 'preact/hooks'
import { read, useRead, useWrite } from '../../../app/api.ts'
import { definePage } from '../../../app/page.ts'
import { useSite } from '../../../app/site.ts'
import { useToast } from '../../../app/toast.tsx'
import { plural, useWords, words } from '../../../app/words.ts'
import { Code } from '../../../ui/code.tsx'
import { Field, Form } from '../../../ui/form.tsx'
import { Unlink, unlinkIn } from '../unlink.tsx'
import { Address } from './address.tsx'
import { SettingsFrame } from './frame.tsx'
import { Linked, linkedOf } from './linked.tsx'
import { Proof, proofOf } from './proof.tsx'

const WORDS = words({
  title: ['Security', '账号安全'],
  password: ['Password', '登录密码'],
  old: ['Current password', '当前密码'],
  next: ['New password (8 characters or more)', '新密码（至少 8 位）'],
  change: ['Change password', '修改密码'],
  changed: ['Your password was changed. Other devices were signed out.', '密码已修改，其他设备已退出登录。'],
  forgot: [
    'You have not set a password yet. To set one, sign out and sign in again first.',
    '你尚未设置密码。请先退出并重新登录，再设置密码。',
  ],
  factor: ['Two-step verification', '两步验证'],
  factorText: [
    'Signing in then also requires a code from an authenticator app. A stolen password alone is not enough.',
    '开启后，登录时还需输入身份验证器的动态码。即使密码泄露，他人也无法登录。',
  ],
  on: ['Two-step verification is on.', '两步验证已开启。'],
  left: [
    (count: number) => `${plural(count, 'recovery code')} left.`,
    (count: number) => `剩余 ${count} 个恢复码。`,
  ],
  start: ['Set up', '开始设置'],
  qr: ['QR code for the authenticator app', '身份验证器二维码'],
  secret: [
    'Scan the QR code with your authenticator app, or enter this key in the app. If the app is on this device, open the link.',
    '请用身份验证器扫描二维码，或在其中输入此密钥。如果身份验证器就在本设备上，可直接打开链接。',
  ],
  open: ['Open in the authenticator app', '在身份验证器中打开'],
  confirm: ['Turn on', '开启'],
  off: ['Turn off', '关闭'],
  renew: ['Create new recovery codes', '重新生成恢复码'],
  factorCode: ['Code from the app, or a recovery code', '动态码或恢复码'],
  codes: [
    'Save these recovery codes now. They are not shown again. If you lose your device, each code works for one sign-in.',
    '请立即保存恢复码，之后不会再显示。设备丢失时，每个恢复码可用于登录一次。',
  ],
})

const factorOf = () => read('/user/second-factor')

export const page = definePage({
  queries: () => [factorOf(), linkedOf()],
  head: ({ language }) => ({ title: WORDS[language].title, isPrivate: true }),
  body: ({ visit }) => (
    <SettingsFrame path={visit.path}>
      <Password />
      <hr />
      <Address kind="email" />
      <hr />
      <Address kind="phone" />
      <hr />
      <SecondFactor />
      <Linked />
    </SettingsFrame>
  ),
})

function Password() {
  const t = useWords(WORDS)
  const { api, viewer } = useSite()
  const { say } = useToast()
  const cache = useQueryClient()
  const { data: links = [] } = useRead(linkedOf())
  return (
    <>
      <h2>{t.password}</h2>
      {!viewer?.initial_password && <p class="quiet">{t.forgot}</p>}
      <Form
        label={t.change}
        send={async ({ old = '', next = '', ...given }, form) => {
          await api.put('/user/password', {
            body: {
              ...(old ? { old_password: old } : {}),
              ...{ password: next, password_confirmation: next },
              ...unlinkIn(given),
            },
          })
          form.reset()
          await cache.invalidateQueries({ queryKey: ['/user/linked-accounts'] })
          say(t.changed)
        }}
      >
        {viewer?.initial_password && (
          <Field label={t.old} name="old" type="password" autocomplete="current-password" required />
        )}
        <Field
          label={t.next}
          name="next"
          type="password"
          autocomplete="new-password"
          minLength={8}
          maxLength={128}
          required
        />
        {links.length > 0 && <Unlink />}
      </Form>
    </>
  )
}

function SecondFactor() {
  const t = useWords(WORDS)
  const { api } = useSite()
  const { data: factor } = useRead(factorOf())
  const [secret, setSecret] = useState<{ secret: string; uri: string } | null>(null)
  const [codes, setCodes] = useState<string[]>([])
  const changes = ['/user/second-factor']
  const turn = useWrite((_, ask: () => Promise<unknown>) => ask(), { changes })
  const code = (
    <Field label={t.factorCode} name="second_factor" autocomplete="one-time-code" maxLength={32} required />
  )
  const bodyOf = ({ second_factor = '' }: Record<string, string>) => ({ body: { second_factor } })
  return (
    <>
      <h2>{t.factor}</h2>
      <p class="quiet">{t.factorText}</p>
      {codes.length > 0 && (
        <div class="card" role="status">
          <p>{t.codes}</p>
          <ul class="codes">
            {codes.map((each) => (
              <li key={each}>
                <code>{each}</code>
              </li>
            ))}
          </ul>
        </div>
      )}
      {factor?.enabled ? (
        <>
          <p>
            {t.on} {t.left(factor.recovery_codes)}
          </p>
          <Form
            label={t.renew}
            send={(given, form) =>
              turn.mutateAsync(async () => {
                const made = await api.post('/user/second-factor/recovery-codes', bodyOf(given))
                setCodes(made.recovery_codes)
                form.reset()
              })
            }
          >
            {code}
          </Form>
          <Form
            label={t.off}
            isDanger
            send={(given) =>
              turn.mutateAsync(async () => {
                await api.delete('/user/second-factor', bodyOf(given))
                setCodes([])
              })
            }
          >
            {code}
          </Form>
        </>
      ) : secret ? (
        <>
          <p>{t.secret}</p>
          <Code text={secret.uri} label={t.qr} />
          <p>
            <code class="secret">{secret.secret}</code> <a href={secret.uri}>{t.open}</a>
          </p>
          <Form
            label={t.confirm}
            send={(given) =>
              turn.mutateAsync(async () => {
                const made = await api.put('/user/second-factor', bodyOf(given))
                setCodes(made.recovery_codes)
                setSecret(null)
              })
            }
          >
            {code}
          </Form>
        </>
      ) : (
        <Form
          label={t.start}
          send={async (given) => setSecret(await api.post('/user/second-factor', { body: proofOf(given) }))}
        >
          <Proof />
        </Form>
      )}
    </>
  )
}

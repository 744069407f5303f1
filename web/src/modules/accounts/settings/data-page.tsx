import { forgetAccount } from '../../../app/account.ts'
import { read, useRead, useWrite } from '../../../app/api.ts'
import { useConfirm } from '../../../app/confirm.tsx'
import { definePage } from '../../../app/page.ts'
import { useSite } from '../../../app/site.ts'
import { useToast } from '../../../app/toast.tsx'
import { useWords, words } from '../../../app/words.ts'
import { Form } from '../../../ui/form.tsx'
import { Time } from '../../../ui/time.tsx'
import { SettingsFrame } from './frame.tsx'
import { Proof, proofOf } from './proof.tsx'

const WORDS = words({
  title: ['My data', '我的数据'],
  export: ['Data export', '数据导出'],
  exportText: [
    'We collect all your data in an archive and notify you when it is ready to download.',
    '我们会将你的全部数据打包，完成后通知你下载。',
  ],
  ask: ['Export my data', '导出我的数据'],
  asked: ['The export has started.', '已开始导出。'],
  waiting: ['Preparing', '准备中'],
  ready: ['Ready to download', '可下载'],
  failed: ['Failed', '导出失败'],
  expired: ['Expired', '已过期'],
  fetch: ['Download', '下载'],
  delete: ['Delete my account', '注销账号'],
  deleteText: [
    'After a few days we delete your name, profile, pictures and follows. Content that you published stays without your name. Withdraw the balance of your wallet first. To cancel the deletion, sign in before that day.',
    '提交注销后，你的用户名、资料、图片和关注关系会在数日后删除，已发布的内容会保留但不再署名。请先提现钱包余额。如需取消注销，请在此之前登录。',
  ],
  sure: ['Delete your account?', '确定要注销账号吗？'],
})

const exportsOf = () => read('/user/exports')

export const page = definePage({
  queries: () => [exportsOf()],
  head: ({ language }) => ({ title: WORDS[language].title, isPrivate: true }),
  body: () => {
    const t = useWords(WORDS)
    const { api, viewer } = useSite()
    const { say } = useToast()
    const confirm = useConfirm()
    const { data: exports = [] } = useRead(exportsOf())
    const ask = useWrite((_, body: ReturnType<typeof proofOf>) => api.post('/user/exports', { body }), {
      changes: ['/user/exports'],
    })
    return (
      <SettingsFrame path="/account/exports">
        <h2>{t.export}</h2>
        <p class="quiet">{t.exportText}</p>
        <ul class="rows">
          {exports.map(({ id, state, created_at }) => (
            <li key={id}>
              <div>
                <p class="name" dir="auto">
                  {t[state]}
                </p>
                <p class="quiet">
                  <Time at={created_at} />
                </p>
              </div>
              {state === 'ready' && (
                <a class="button is-quiet" href={`/api/v2/user/exports/${id}/archive`} download>
                  {t.fetch}
                </a>
              )}
            </li>
          ))}
        </ul>
        <Form
          label={t.ask}
          send={async (given, form) => {
            await ask.mutateAsync(proofOf(given))
            form.reset()
            say(t.asked)
          }}
        >
          <Proof withFactor />
        </Form>
        <hr />
        <h2 id="deletion">{t.delete}</h2>
        <p class="quiet">{t.deleteText}</p>
        <Form
          label={t.delete}
          isDanger
          send={async (given) => {
            if (!(await confirm(t.sure, t.delete))) return
            await api.delete('/user', { body: proofOf(given) })
            await forgetAccount(viewer?.id ?? 0)
            location.assign('/')
          }}
        >
          <Proof withFactor />
        </Form>
      </SettingsFrame>
    )
  },
})

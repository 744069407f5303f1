import { read, useRead, useWrite } from '../../../app/api.ts'
import { definePage } from '../../../app/page.ts'
import { useSite } from '../../../app/site.ts'
import { useToast } from '../../../app/toast.tsx'
import { ago, timeOf, useWords, words } from '../../../app/words.ts'
import { Form } from '../../../ui/form.tsx'
import { SettingsFrame } from './frame.tsx'
import { Proof, proofOf } from './proof.tsx'

const WORDS = words({
  title: ['My data', '我的数据'],
  export: ['Take my data along', '导出我的数据'],
  exportText: [
    'Everything of yours as an archive. A notification tells you when it is ready.',
    '将您的全部数据打包下载，完成后会通知您。',
  ],
  ask: ['Export my data', '申请导出'],
  asked: ['The export was begun.', '已开始导出。'],
  waiting: ['In preparation', '准备中'],
  ready: ['Ready', '可下载'],
  failed: ['Failed', '失败'],
  expired: ['Expired', '已过期'],
  fetch: ['Download', '下载'],
  delete: ['Delete my account', '注销账号'],
  deleteText: [
    'Your name, profile, pictures and followings are erased after some days; what you published stays without an author. Take out your money first. Signing in before that day takes it back.',
    '数日后将清除您的用户名、资料、图片与关注关系；已发布的内容会保留但不再署名。请先提现余额。在此之前登录即可撤销注销。',
  ],
  sure: ['Delete your account?', '确定要注销账号吗？'],
})

const exportsOf = () => read('/user/exports')

export const page = definePage({
  queries: () => [exportsOf()],
  head: ({ language }) => ({ title: WORDS[language].title, isPrivate: true }),
  body: () => {
    const t = useWords(WORDS)
    const { api, language } = useSite()
    const { say } = useToast()
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
                <p class="name">{t[state]}</p>
                <p class="quiet">{ago(timeOf(created_at), language)}</p>
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
            if (!confirm(t.sure)) return
            await api.delete('/user', { body: proofOf(given) })
            location.assign('/')
          }}
        >
          <Proof withFactor />
        </Form>
      </SettingsFrame>
    )
  },
})

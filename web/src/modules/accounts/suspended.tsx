import { useState } from 'preact/hooks'
import { useConfirm } from '../../app/confirm.tsx'
import { useSite } from '../../app/site.ts'
import { useToast } from '../../app/toast.tsx'
import { useWords, words } from '../../app/words.ts'
import { Form } from '../../ui/form.tsx'

const WORDS = words({
  title: ['Account suspended', '账号已被封禁'],
  appeal: ['Reason for your appeal', '申诉理由'],
  send: ['Submit appeal', '提交申诉'],
  sent: ['Appeal submitted. Moderators will review it.', '申诉已提交，管理员会重新审核。'],
  export: ['Export my data', '导出我的数据'],
  exporting: ['The export has started. Press the button again later.', '已开始导出，请稍后再次点击。'],
  download: ['Download my data', '下载我的数据'],
  delete: ['Delete my account', '注销账号'],
  sure: ['Delete your account?', '确定要注销账号吗？'],
  keep: ['Cancel the deletion', '取消注销'],
  kept: ['The deletion was cancelled.', '已取消注销。'],
  deleted: ['Your account will be deleted.', '账号将被注销。'],
})

type Proof = { login: string; password: string; second_factor?: string }

export function Suspended({ reason, proof }: { reason: string; proof: Proof }) {
  const t = useWords(WORDS)
  const { api } = useSite()
  const { say } = useToast()
  const confirm = useConfirm()
  const [url, setUrl] = useState('')
  const [isLeaving, setIsLeaving] = useState(false)
  return (
    <section class="form card settings">
      <h1>{t.title}</h1>
      <p class="failure" role="alert">
        {reason}
      </p>
      <Form
        label={t.send}
        send={async ({ contents = '' }, form) => {
          await api.post('/auth/appeals', { body: { ...proof, contents } })
          form.reset()
          say(t.sent)
        }}
      >
        <label>
          {t.appeal}
          <textarea dir="auto" name="contents" rows={4} maxLength={2000} required />
        </label>
      </Form>
      <hr />
      {url ? (
        <a class="button is-quiet" href={url}>
          {t.download}
        </a>
      ) : (
        <Form
          label={t.export}
          send={async () => {
            const made = await api.post('/auth/exports', { body: proof })
            if (made.url) setUrl(made.url)
            else say(t.exporting)
          }}
        />
      )}
      {isLeaving ? (
        <Form
          key="keep"
          label={t.keep}
          send={async () => {
            await api.delete('/auth/deletions', { body: proof })
            setIsLeaving(false)
            say(t.kept)
          }}
        />
      ) : (
        <Form
          key="delete"
          label={t.delete}
          isDanger
          send={async () => {
            if (!(await confirm(t.sure, t.delete))) return
            await api.post('/auth/deletions', { body: proof })
            setIsLeaving(true)
            say(t.deleted)
          }}
        />
      )}
    </section>
  )
}

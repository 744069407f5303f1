import { useState } from 'preact/hooks'
import { read, useRead, useWrite } from '../../../app/api.ts'
import { definePage } from '../../../app/page.ts'
import { useSite } from '../../../app/site.ts'
import { useToast } from '../../../app/toast.tsx'
import { acceptOf, checkFile } from '../../../app/uploads.ts'
import { useWords, words } from '../../../app/words.ts'
import { Field, Form } from '../../../ui/form.tsx'
import { SettingsFrame } from './frame.tsx'

const WORDS = words({
  title: ['Certification', '身份认证'],
  lead: [
    'A badge marks certified users and organisations. Only administrators see what you submit.',
    '通过认证的用户和机构会显示认证标识。提交的资料仅管理员可见。',
  ],
  waiting: ['Your application is waiting for review.', '认证申请审核中。'],
  passed: ['You are certified.', '已通过认证。'],
  refused: [
    'Your application was rejected. Correct it and submit it again.',
    '认证未通过，请修改后重新提交。',
  ],
  kind: ['Type', '认证类型'],
  user: ['Person', '个人'],
  org: ['Organisation', '机构'],
  name: ['Full name', '姓名'],
  number: ['Identity card or business licence number', '身份证号或营业执照号'],
  phone: ['Phone', '手机号'],
  orgName: ['Organisation name', '机构名称'],
  orgAddress: ['Organisation address', '机构地址'],
  desc: ['Badge text', '认证说明'],
  files: ['Photos of the documents', '证件照片'],
  send: ['Submit', '提交'],
  sent: ['Submitted.', '已提交。'],
})

const mineOf = () => read('/user/certification')

export const page = definePage({
  queries: () => [mineOf()],
  head: ({ language }) => ({ title: WORDS[language].title, isPrivate: true }),
  body: ({ visit }) => {
    const t = useWords(WORDS)
    const { api, settings } = useSite()
    const { say } = useToast()
    const { data: mine } = useRead(mineOf())
    const [kind, setKind] = useState(mine?.certification_name ?? 'user')
    const data = (mine?.data ?? {}) as Record<string, string | undefined>
    const hasOne = mine?.id !== undefined
    const ask = useWrite<Record<string, unknown>>(
      (client, body) =>
        (hasOne ? client.patch : client.post)('/user/certification', { body } as never) as Promise<unknown>,
      { changes: ['/user/certification', '/user'] },
    )
    return (
      <SettingsFrame path={visit.path}>
        <p class="quiet">{t.lead}</p>
        {hasOne && (
          <p role="status">
            {[t.waiting, t.passed, t.refused][mine.status ?? 0]} {mine.status === 2 && data.reject_content}
          </p>
        )}
        {mine?.status !== 1 && (
          <Form
            label={t.send}
            draft="certification"
            send={async ({ files: _, ...given }, form) => {
              const chosen = new FormData(form)
                .getAll('files')
                .filter((file) => (file as File).size > 0) as File[]
              for (const file of chosen) checkFile(file, settings, 'picture')
              const files = await Promise.all(
                chosen.map((file) => api.upload(file, { name: file.name }).then(({ id }) => id)),
              )
              await ask.mutateAsync({ ...given, ...(files.length > 0 ? { files } : {}) })
              say(t.sent)
            }}
          >
            <label>
              {t.kind}
              <select name="type" value={kind} onChange={({ currentTarget }) => setKind(currentTarget.value)}>
                <option value="user">{t.user}</option>
                <option value="org">{t.org}</option>
              </select>
            </label>
            {kind === 'org' && (
              <>
                <Field
                  label={t.orgName}
                  name="org_name"
                  required
                  maxLength={100}
                  defaultValue={data.org_name ?? ''}
                />
                <Field
                  label={t.orgAddress}
                  name="org_address"
                  required
                  maxLength={200}
                  defaultValue={data.org_address ?? ''}
                />
              </>
            )}
            <Field
              label={t.name}
              name="name"
              required
              maxLength={50}
              defaultValue={data.name ?? ''}
              data-private
            />
            <Field
              label={t.phone}
              name="phone"
              type="tel"
              required
              maxLength={20}
              data-private
              defaultValue={data.phone ?? ''}
            />
            <Field
              label={t.number}
              name="number"
              required
              maxLength={50}
              defaultValue={data.number ?? ''}
              data-private
            />
            <label>
              {t.desc}
              <textarea
                dir="auto"
                name="desc"
                rows={3}
                maxLength={250}
                required
                defaultValue={data.desc ?? ''}
              />
            </label>
            <Field
              label={t.files}
              name="files"
              type="file"
              accept={acceptOf(settings, 'picture')}
              multiple
              required={!hasOne}
            />
          </Form>
        )}
      </SettingsFrame>
    )
  },
})

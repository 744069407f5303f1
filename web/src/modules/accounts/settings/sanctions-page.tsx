import type { Schema } from '@kith/client'
import { list, useList, useWrite } from '../../../app/api.ts'
import { definePage } from '../../../app/page.ts'
import { useToast } from '../../../app/toast.tsx'
import { useWords, words } from '../../../app/words.ts'
import { Form } from '../../../ui/form.tsx'
import { More } from '../../../ui/more.tsx'
import { Facts, Time } from '../../../ui/time.tsx'
import { SettingsFrame } from './frame.tsx'

const WORDS = words({
  title: ['Sanctions', '处罚与申诉'],
  none: ['You have not received any sanctions.', '没有处罚记录。'],
  warning: ['Warning', '警告'],
  silence: ['Silence: you can read, but not post', '禁言：可以浏览，不能发布'],
  suspension: ['Account suspension', '账号封禁'],
  inForce: ['Active', '生效中'],
  over: ['Ended', '已结束'],
  until: ['Until', '截止时间'],
  appeal: ['Reason for your appeal', '申诉理由'],
  send: ['Submit appeal', '提交申诉'],
  sent: ['Appeal submitted. Moderators will review it.', '申诉已提交，管理员会重新审核。'],
  appealed: ['Appeal submitted.', '已提交申诉。'],
})

const sanctionsOf = () => list('/user/sanctions')

export const page = definePage({
  queries: () => [sanctionsOf()],
  head: ({ language }) => ({ title: WORDS[language].title, isPrivate: true }),
  body: ({ visit }) => {
    const t = useWords(WORDS)
    const sanctions = useList(sanctionsOf())
    return (
      <SettingsFrame path={visit.path}>
        {sanctions.items.length === 0 && <p class="quiet">{t.none}</p>}
        {sanctions.items.map((each) => (
          <Sanction key={each.id} sanction={each} />
        ))}
        <More list={sanctions} path={visit.path} />
      </SettingsFrame>
    )
  },
})

function Sanction({ sanction }: { sanction: Schema<'OwnSanction'> }) {
  const t = useWords(WORDS)
  const { say } = useToast()
  const { id, kind, reason, in_force, ends_at, created_at, appeal } = sanction
  const ask = useWrite(
    (api, contents: string) => api.post('/user/appeals', { body: { contents, sanction: id } }),
    { changes: ['/user/sanctions'] },
  )
  const facts = [
    <Time key="created" at={created_at} />,
    kind === 'warning' ? null : in_force ? t.inForce : t.over,
    in_force && ends_at && [t.until, ' ', <Time key="until" at={ends_at} form="minute" />],
  ]
  return (
    <section class="card fields">
      <h2>{t[kind]}</h2>
      <p>{reason}</p>
      <p class="quiet">
        <Facts of={facts} />
      </p>
      {appeal ? (
        <p class="quiet">
          {t.appealed} {appeal.answer}
        </p>
      ) : (
        (in_force || kind === 'warning') && (
          <Form
            label={t.send}
            draft={`appeal/${id}`}
            send={async ({ contents = '' }) => {
              await ask.mutateAsync(contents)
              say(t.sent)
            }}
          >
            <label>
              {t.appeal}
              <textarea dir="auto" name="contents" rows={3} maxLength={2000} required />
            </label>
          </Form>
        )
      )}
    </section>
  )
}

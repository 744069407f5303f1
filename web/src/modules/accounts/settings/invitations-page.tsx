import { list, useList, useWrite } from '../../../app/api.ts'
import { useConfirm } from '../../../app/confirm.tsx'
import { definePage } from '../../../app/page.ts'
import { useSite } from '../../../app/site.ts'
import { useToast } from '../../../app/toast.tsx'
import { useWords, words } from '../../../app/words.ts'
import { Field, Form } from '../../../ui/form.tsx'
import { More } from '../../../ui/more.tsx'
import { PersonRow } from '../../../ui/person-row.tsx'
import { Facts, Time } from '../../../ui/time.tsx'
import { SettingsFrame } from './frame.tsx'

const WORDS = words({
  title: ['Invitations', '邀请'],
  lead: [
    'New users can sign up with the link or the code of an invitation.',
    '新用户可通过邀请链接或邀请码注册。',
  ],
  uses: ['Number of uses', '可用次数'],
  days: ['Valid for (days)', '有效天数'],
  note: ['Note (only you see it)', '备注（仅自己可见）'],
  make: ['Create invitation', '生成邀请'],
  made: ['Invitation created. Copy its link.', '邀请已生成，请复制链接。'],
  copy: ['Copy link', '复制链接'],
  copied: ['Copied.', '已复制。'],
  end: ['Revoke', '作废'],
  sure: [
    'Revoke this invitation? Its link and code will stop working.',
    '确定要作废此邀请吗？链接和邀请码将失效。',
  ],
  came: [
    (uses: number, most: number) => `${uses} of ${most} used`,
    (uses: number, most: number) => `已用 ${uses}/${most}`,
  ],
  until: ['valid until ', '有效期至 '],
  over: ['no longer valid', '已失效'],
  empty: ['No invitations yet.', '暂无邀请。'],
  invitees: ['Users who signed up with your invitations', '通过你的邀请注册的用户'],
  nobody: ['No users yet.', '暂无用户。'],
})

const invitationsOf = () => list('/user/invitations')
const inviteesOf = () => list('/user/invitees')

export const page = definePage({
  queries: () => [invitationsOf(), inviteesOf()],
  head: ({ language }) => ({ title: WORDS[language].title, isPrivate: true }),
  body: ({ visit }) => {
    const t = useWords(WORDS)
    const { api, origin } = useSite()
    const { say, fail } = useToast()
    const confirm = useConfirm()
    const invitations = useList(invitationsOf())
    const invitees = useList(inviteesOf())
    const changes = ['/user/invitations']
    const end = useWrite<number>(
      (client, invitation) =>
        client.delete('/user/invitations/{invitation}', { params: { path: { invitation } } }),
      { changes },
    )
    const made = useWrite((_, ask: () => Promise<unknown>) => ask(), {
      changes,
      onSuccess: () => say(t.made),
    })
    return (
      <SettingsFrame path={visit.path}>
        <p class="quiet">{t.lead}</p>
        <Form
          label={t.make}
          send={({ max_uses, days, note }, form) =>
            made.mutateAsync(async () => {
              await api.post('/user/invitations', {
                body: {
                  ...(max_uses ? { max_uses: Number(max_uses) } : {}),
                  ...(days ? { days: Number(days) } : {}),
                  ...(note ? { note } : {}),
                },
              })
              form.reset()
            })
          }
        >
          <Field label={t.uses} name="max_uses" type="number" min={1} max={1000} placeholder="1" />
          <Field label={t.days} name="days" type="number" min={1} max={365} />
          <Field label={t.note} name="note" maxLength={100} />
        </Form>
        <hr />
        {invitations.items.length === 0 && <p class="quiet">{t.empty}</p>}
        <ul class="rows">
          {invitations.items.map(({ id, code, note, uses, max_uses, ended, expires_at }) => (
            <li key={id}>
              <div>
                <p class="name" dir="auto">
                  <code>{code}</code> {note}
                </p>
                <p class="quiet">
                  <Facts
                    of={[
                      t.came(uses, max_uses),
                      ended ? t.over : [t.until, <Time key="until" at={expires_at} form="date" />],
                    ]}
                  />
                </p>
              </div>
              {!ended && (
                <>
                  <button
                    type="button"
                    class="button is-quiet"
                    aria-label={`${t.copy}: ${code}`}
                    onClick={() =>
                      navigator.clipboard
                        .writeText(`${origin}/join?invitation=${code}`)
                        .then(() => say(t.copied), fail)
                    }
                  >
                    {t.copy}
                  </button>
                  <button
                    type="button"
                    class="button is-quiet"
                    aria-label={`${t.end}: ${code}`}
                    onClick={async () => {
                      if (await confirm(t.sure, t.end)) end.mutate(id, { onError: fail })
                    }}
                  >
                    {t.end}
                  </button>
                </>
              )}
            </li>
          ))}
        </ul>
        <More list={invitations} path={visit.path} />
        <h2>{t.invitees}</h2>
        {invitees.items.length === 0 && <p class="quiet">{t.nobody}</p>}
        <ul class="rows">
          {invitees.items.map((person) => (
            <PersonRow key={person.id} person={person} />
          ))}
        </ul>
        <More list={invitees} path={visit.path} />
      </SettingsFrame>
    )
  },
})

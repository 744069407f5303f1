import type { Schema } from '@kith/client'
import { useState } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import { useRead, useWrite } from '../../app/api.ts'
import { useConfirm } from '../../app/confirm.tsx'
import { definePage, type Visit } from '../../app/page.ts'
import { useSite } from '../../app/site.ts'
import { useToast } from '../../app/toast.tsx'
import { useWords, words } from '../../app/words.ts'
import { Field, Form } from '../../ui/form.tsx'
import { PersonRow } from '../../ui/person-row.tsx'
import { groupOf, personOf } from './group.ts'
import { PickPeople } from './pick-people.tsx'
import { CHAT_READS } from './unread.ts'

const WORDS = words({
  open: ['Open the conversation', '进入群聊'],
  owner: ['Owner', '群主'],
  name: ['Group name', '群名称'],
  about: ['Description', '群简介'],
  invites: ['Members may add others', '允许成员邀请他人'],
  save: ['Save', '保存'],
  saved: ['Saved.', '已保存。'],
  add: ['Add', '添加'],
  remove: ['Remove', '移出'],
  handOver: ['Make owner', '转让群主'],
  leave: ['Leave the group', '退出群聊'],
  delete: ['Delete the group', '解散群聊'],
  sureOwner: [
    (name: string) => `Make ${name} the owner? You will become a member.`,
    (name: string) => `确定将群主转让给 ${name} 吗？你将成为普通成员。`,
  ],
  sureLeave: ['Leave this group?', '确定退出群聊吗？'],
  sureDelete: ['Delete this group for all members?', '确定为所有成员解散群聊吗？'],
})

const idOf = ({ params }: Visit) => params.group ?? ''
const CHANGES = ['/im/group', ...CHAT_READS, '/chats/{chat}']

export const page = definePage({
  queries: (visit) => [groupOf(idOf(visit))],
  head: (visit, known) => ({ title: known.one(groupOf(idOf(visit)))[0]?.name ?? '', isPrivate: true }),
  body: ({ visit }) => {
    const { data } = useRead(groupOf(idOf(visit)))
    return data?.[0] ? <Members group={data[0]} /> : null
  },
})

function Members({ group }: { group: Schema<'ImGroup'> }) {
  const t = useWords(WORDS)
  const { api, viewer } = useSite()
  const { say, fail } = useToast()
  const confirm = useConfirm()
  const [, navigate] = useLocation()
  const [people, setPeople] = useState<Schema<'User'>[]>([])
  const id = Number(group.id)
  const isOwner = group.owner === String(viewer?.id)
  const ids = group.affiliations.map((each) => each.id)
  const add = useWrite(
    (client) =>
      client.post('/im/group/member', {
        body: { im_group_id: id, members: people.map((person) => person.id) },
      }),
    { changes: CHANGES, onSuccess: () => setPeople([]) },
  )
  const drop = useWrite<number>(
    (client, member) => client.delete('/im/group/member', { body: { im_group_id: id, members: [member] } }),
    { changes: CHANGES },
  )
  const change = useWrite<{
    groupname?: string
    desc?: string
    allowinvites?: boolean
    new_owner_user?: number
  }>(
    (client, by) =>
      client.patch('/im/group', {
        body: {
          im_group_id: id,
          groupname: group.name,
          desc: group.description,
          public: group.public,
          maxusers: group.maxusers,
          members_only: group.membersonly,
          allowinvites: group.allowinvites,
          ...by,
        },
      }),
    { changes: CHANGES },
  )
  const erase = useWrite((client) => client.delete('/im/group', { body: { im_group_id: id } }), {
    changes: CHANGES,
  })
  const toList = { onSuccess: () => navigate('/chats'), onError: fail }
  return (
    <>
      <header class="page-head">
        <h1 dir="auto">{group.name}</h1>
        <button
          type="button"
          class="button is-quiet"
          onClick={() => api.chat.ofGroup(id).then((chat) => navigate(`/chats/${chat.id}`), fail)}
        >
          {t.open}
        </button>
      </header>
      {!isOwner && group.description && <p class="quiet is-centred">{group.description}</p>}
      <ul class="rows is-padded">
        {group.affiliations.map((member) => (
          <PersonRow key={member.id} person={personOf(member)} note={member.is_owner ? t.owner : member.bio}>
            {isOwner && !member.is_owner && (
              <span class="acts">
                <button
                  type="button"
                  class="button is-quiet"
                  onClick={async () => {
                    if (await confirm(t.sureOwner(member.name), t.handOver))
                      change.mutate({ new_owner_user: member.id }, { onError: fail })
                  }}
                >
                  {t.handOver}
                </button>
                <button
                  type="button"
                  class="button is-quiet"
                  onClick={() => drop.mutate(member.id, { onError: fail })}
                >
                  {t.remove}
                </button>
              </span>
            )}
          </PersonRow>
        ))}
      </ul>
      <section class="settings">
        {(isOwner || group.allowinvites) && (
          <Form label={t.add} send={async () => people.length > 0 && add.mutateAsync()}>
            <PickPeople chosen={people} without={ids} onChange={setPeople} />
          </Form>
        )}
        {isOwner && (
          <Form
            label={t.save}
            draft={`chat-group/${group.id}`}
            send={async ({ name = '', about = '', invites }) => {
              await change.mutateAsync({
                groupname: name.trim(),
                desc: about,
                allowinvites: invites === 'on',
              })
              say(t.saved)
            }}
          >
            <hr />
            <Field label={t.name} name="name" defaultValue={group.name} maxLength={128} required />
            <label>
              {t.about}
              <textarea dir="auto" name="about" rows={2} maxLength={512} defaultValue={group.description} />
            </label>
            <label class="check">
              <input type="checkbox" name="invites" defaultChecked={group.allowinvites} />
              {t.invites}
            </label>
          </Form>
        )}
        <button
          type="button"
          class="button is-danger"
          onClick={async () => {
            if (!(await confirm(isOwner ? t.sureDelete : t.sureLeave, isOwner ? t.delete : t.leave))) return
            if (isOwner) erase.mutate(undefined, toList)
            else drop.mutate(viewer?.id ?? 0, toList)
          }}
        >
          {isOwner ? t.delete : t.leave}
        </button>
      </section>
    </>
  )
}

import type { Schema } from '@kith/client'
import { Link } from 'wouter-preact'
import { list, read, startOf, useList, useRead, useWrite } from '../../app/api.ts'
import { definePage, type Visit } from '../../app/page.ts'
import { useToast } from '../../app/toast.tsx'
import { useWords, words } from '../../app/words.ts'
import { More } from '../../ui/more.tsx'
import { PersonRow } from '../../ui/person-row.tsx'
import { Tabs } from '../../ui/tabs.tsx'

const WORDS = words({
  title: [(name: string) => `Members of ${name}`, (name: string) => `${name} 的成员`],
  kinds: ['Types of members', '成员类型'],
  all: ['Members', '成员'],
  audit: ['Requests to join', '加入申请'],
  blacklist: ['Blocked', '黑名单'],
  founder: ['Founder', '圈主'],
  administrator: ['Administrator', '管理员'],
  member: ['Member', '成员'],
  accept: ['Accept', '同意'],
  reject: ['Reject', '拒绝'],
  promote: ['Make administrator', '设为管理员'],
  demote: ['Make member', '取消管理员'],
  ban: ['Block', '拉黑'],
  unban: ['Unblock', '取消拉黑'],
  remove: ['Remove', '移出'],
  more: ['Manage', '管理'],
  none: ['No members.', '暂无成员。'],
})

const TYPES = ['all', 'audit', 'blacklist'] as const
type Member = Schema<'GroupMember'>
type Act = 'accept' | 'reject' | 'promote' | 'demote' | 'ban' | 'unban' | 'remove'

const idOf = ({ params }: Visit) => Number(params.group)
const typeOf = ({ search }: Visit) => TYPES.find((type) => type === search.get('type')) ?? 'all'
const groupOf = (visit: Visit) => read('/groups/{group}', { params: { path: { group: idOf(visit) } } })
const membersOf = (visit: Visit) =>
  list('/groups/{group}/members', {
    params: {
      path: { group: idOf(visit) },
      query: { ...startOf(visit.search), type: typeOf(visit) } as never,
    },
  })

const RANKS = { member: 0, administrator: 1, founder: 2 } as const

function actsFor(mine: keyof typeof RANKS | undefined, { audit, disabled, role }: Member): Act[] {
  if (mine === undefined || mine === 'member' || RANKS[mine] <= RANKS[role]) return []
  if (audit === 0) return ['accept', 'reject']
  if (disabled) return ['unban', 'remove']
  const grade: Act[] = mine !== 'founder' ? [] : role === 'administrator' ? ['demote'] : ['promote']
  return [...grade, 'ban', 'remove']
}

export const page = definePage({
  queries: (visit) => [groupOf(visit), membersOf(visit)],
  head: (visit, known) => ({
    title: WORDS[visit.language].title(known.one(groupOf(visit)).name),
    isPrivate: true,
  }),
  body: ({ visit }) => {
    const t = useWords(WORDS)
    const { fail } = useToast()
    const { data: group } = useRead(groupOf(visit))
    const members = useList(membersOf(visit))
    const act = useWrite<{ member: number; act: Act }>(
      (api, { member, act: name }) => {
        const params = { path: { group: idOf(visit), member } }
        switch (name) {
          case 'accept':
            return api.patch('/groups/{group}/members/{member}/audit', { params, body: { status: 1 } })
          case 'reject':
            return api.patch('/groups/{group}/members/{member}/audit', { params, body: { status: 2 } })
          case 'promote':
            return api.put('/groups/{group}/managers/{member}', { params })
          case 'demote':
            return api.delete('/groups/{group}/managers/{member}', { params })
          case 'ban':
            return api.put('/groups/{group}/blacklist/{member}', { params })
          case 'unban':
            return api.delete('/groups/{group}/blacklist/{member}', { params })
          case 'remove':
            return api.delete('/groups/{group}/members/{member}', { params })
        }
      },
      { changes: ['/groups/{group}/members', '/groups/{group}'] },
    )
    if (!group) return null
    const mine = group.joined?.role
    const isManager = mine === 'founder' || mine === 'administrator'
    return (
      <>
        <header class="page-head">
          <h1>
            <Link href={`/groups/${group.id}`}>{t.title(group.name)}</Link>
          </h1>
        </header>
        {isManager && (
          <Tabs
            label={t.kinds}
            here={`${visit.path}?type=${typeOf(visit)}`}
            tabs={TYPES.map((type) => [`${visit.path}?type=${type}`, t[type]])}
          />
        )}
        <ul class="rows is-padded">
          {members.items.map((member) => {
            const acts = actsFor(mine, member)
            return (
              member.user && (
                <PersonRow
                  key={member.id}
                  person={member.user}
                  note={member.role === 'member' ? member.user.bio : t[member.role]}
                >
                  {acts.length > 0 && (
                    <span class="acts">
                      {acts.map((name) => (
                        <button
                          key={name}
                          type="button"
                          class="button is-quiet"
                          disabled={act.isPending}
                          onClick={() => act.mutate({ member: member.id, act: name }, { onError: fail })}
                        >
                          {t[name]}
                        </button>
                      ))}
                    </span>
                  )}
                </PersonRow>
              )
            )
          })}
        </ul>
        {members.items.length === 0 && <p class="quiet is-centred">{t.none}</p>}
        <More list={members} path={visit.path} query={{ type: typeOf(visit) }} />
      </>
    )
  },
})

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { mayCall, myAbilities } from '../../api/auth-provider.ts'
import { call, type Wire } from '../../api/client.ts'
import type { Text } from '../../shell/text.ts'

export const STEPS = ['look', 'join', 'mail', 'backup', 'invite'] as const
export type StepName = (typeof STEPS)[number]

export const STEP_LABELS: Record<StepName, Text> = {
  look: ['Name and look', '名称与外观'],
  join: ['Who may join', '谁可以加入'],
  mail: ['Mail', '邮件'],
  backup: ['Backups', '备份'],
  invite: ['Invite people', '邀请成员'],
}

const SETTING = 'site:setup'

/** First steps of a site. `marks` also contains `seen`, after the first visit, and `closed`, when the list is hidden. */
export function useSetup() {
  const client = useQueryClient()
  const { data: mine } = useQuery({ queryKey: ['abilities'], queryFn: myAbilities, staleTime: 60_000 })
  // Undefined until the abilities are known.
  const mayChange = mine && mayCall(mine, 'patch settings')
  const {
    data: settings,
    error,
    refetch,
  } = useQuery({
    queryKey: ['settings'],
    queryFn: () => call<Wire>('GET', '/admin/settings'),
    enabled: mayChange === true,
  })
  const marks = settings?.[SETTING] as string[] | undefined
  const add = async (...names: string[]) => {
    // Reads the marks again, because the steps change settings too.
    const known = (await call<Wire>('GET', '/admin/settings'))[SETTING] as string[]
    const next = [...new Set([...known, ...names])]
    await call('PATCH', '/admin/settings', { body: { [SETTING]: next } })
    await client.invalidateQueries({ queryKey: ['settings'] })
  }
  return { mayChange, marks, settings, add, error, refetch }
}

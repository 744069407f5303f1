import type { Schema } from '@kith/client'
import { useState } from 'preact/hooks'
import { useWords, words } from '../../app/words.ts'
import { Field, type Given } from '../../ui/form.tsx'

const WORDS = words({
  name: ['Name', '名称'],
  summary: ['Description', '简介'],
  notice: ['Notice', '圈子公告'],
  mode: ['Access', '浏览和加入权限'],
  public: ['Open: everyone can read and join', '公开：所有人可浏览和加入'],
  private: [
    'Private: only members can read, and joining requires approval',
    '私密：仅成员可浏览，加入需审核',
  ],
  paid: ['Paid: joining costs points', '付费：加入需支付积分'],
  money: ['Points to join', '加入所需积分'],
  posting: ['Who can post', '发帖权限'],
  everybody: ['All members', '所有成员'],
  managers: ['Founder and administrators', '圈主和管理员'],
  founder: ['Founder only', '仅圈主'],
})

type Permissions = NonNullable<Schema<'GroupForm'>['permissions']>
const POSTING: Record<string, Permissions> = {
  everybody: ['member', 'administrator', 'founder'],
  managers: ['administrator', 'founder'],
  founder: ['founder'],
}

export const groupOf = ({ name, summary, notice, mode, money, posting }: Given) => ({
  name: name ?? '',
  summary: summary || null,
  notice: notice || null,
  mode: mode as 'public' | 'private' | 'paid',
  ...(mode === 'paid' ? { money: Number(money) } : {}),
  permissions: POSTING[posting ?? 'everybody'] ?? [],
})

export function GroupFields({ group }: { group?: Schema<'GroupDetail'> }) {
  const t = useWords(WORDS)
  const [mode, setMode] = useState<string>(group?.mode ?? 'public')
  const roles = (group?.permissions ?? 'member').split(',')
  const posting = roles.includes('member')
    ? 'everybody'
    : roles.includes('administrator')
      ? 'managers'
      : 'founder'
  return (
    <>
      <Field label={t.name} name="name" required maxLength={50} defaultValue={group?.name ?? ''} />
      <label>
        {t.summary}
        <textarea dir="auto" name="summary" rows={3} maxLength={255} defaultValue={group?.summary ?? ''} />
      </label>
      <label>
        {t.notice}
        <textarea dir="auto" name="notice" rows={3} maxLength={2_000} defaultValue={group?.notice ?? ''} />
      </label>
      <label>
        {t.mode}
        <select name="mode" value={mode} onChange={({ currentTarget }) => setMode(currentTarget.value)}>
          {(['public', 'private', 'paid'] as const).map((each) => (
            <option key={each} value={each}>
              {t[each]}
            </option>
          ))}
        </select>
      </label>
      {mode === 'paid' && (
        <Field
          label={t.money}
          name="money"
          type="number"
          inputMode="numeric"
          min={1}
          step={1}
          required
          defaultValue={String(group?.money || '')}
        />
      )}
      <label>
        {t.posting}
        <select name="posting" defaultValue={posting}>
          {(['everybody', 'managers', 'founder'] as const).map((each) => (
            <option key={each} value={each}>
              {t[each]}
            </option>
          ))}
        </select>
      </label>
    </>
  )
}

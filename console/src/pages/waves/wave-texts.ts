import type { Wire } from '../../api/client.ts'
import type { Choice } from '../../areas/area.ts'
import type { Text } from '../../shell/text.ts'

export const WAVE_STATES: readonly Choice[] = [
  { id: 'preview', name: ['preview', '预览'], tone: 'quiet' },
  { id: 'running', name: ['disabling', '正在停用'], tone: 'wait' },
  { id: 'done', name: ['disabled', '已停用'], tone: 'good' },
  { id: 'undoing', name: ['undoing', '正在撤销'], tone: 'wait' },
  { id: 'undone', name: ['undone', '已撤销'], tone: 'quiet' },
  { id: 'deleting', name: ['deleting', '正在删除'], tone: 'wait' },
  { id: 'deleted', name: ['deleted', '已删除'], tone: 'bad' },
]

export const WAVE_ACTIONS: readonly Choice[] = [
  { id: 'disable', name: ['disable', '停用'], tone: 'wait' },
  { id: 'delete', name: ['delete with content', '连同内容删除'], tone: 'bad' },
]

export const OUTCOMES: readonly Choice[] = [
  { id: 'chosen', name: ['chosen', '待处理'], tone: 'quiet' },
  { id: 'disabled', name: ['disabled', '已停用'], tone: 'good' },
  { id: 'already', name: ['was disabled already', '此前已停用'], tone: 'quiet' },
  { id: 'administrator', name: ['left out: administrator', '已跳过：管理员'], tone: 'wait' },
  { id: 'verified', name: ['left out: certified', '已跳过：已认证'], tone: 'wait' },
  { id: 'erased', name: ['left out: erased', '已跳过：已注销'], tone: 'quiet' },
  { id: 'enabled', name: ['enabled again', '已恢复'], tone: 'good' },
  { id: 'kept', name: ['changed by a later decision', '已有后续处理'], tone: 'wait' },
  { id: 'released', name: ['not changed', '未改动'], tone: 'quiet' },
  { id: 'deleted', name: ['deleted', '已删除'], tone: 'bad' },
]

const CRITERIA: Record<string, (value: unknown) => Text> = {
  invited_by: (id) => [`invited by #${id}`, `由 #${id} 邀请`],
  network: (network) => [`network ${network}`, `网段 ${network}`],
  registered_from: (time) => [`registered from ${time}`, `注册不早于 ${time}`],
  registered_to: (time) => [`registered before ${time}`, `注册早于 ${time}`],
  text: (text) => [`text “${text}”`, `内容“${text}”`],
  host: (host) => [`link to ${host}`, `链接到 ${host}`],
}

/** The filters of a wave in words. */
export function criteriaOf(criteria: Wire): Text {
  const parts = Object.entries(criteria).flatMap(([name, value]) => CRITERIA[name]?.(value) ?? [])
  const side = (n: number) => parts.filter((_, index) => index % 2 === n)
  return [side(0).join('; '), side(1).join('；')]
}

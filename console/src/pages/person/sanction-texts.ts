import type { Text } from '../../shell/text.ts'

export type SanctionKind = (typeof SANCTION_KINDS)[number]

export const SANCTION_KINDS = ['warning', 'silence', 'suspension'] as const

export const KINDS: Record<SanctionKind, Text> = {
  warning: ['warning', '警告'],
  silence: ['silence', '禁言'],
  suspension: ['suspension', '封禁'],
}

export const PERIODS: readonly { hours: number; label: Text }[] = [
  { hours: 24, label: ['1 day', '1 天'] },
  { hours: 72, label: ['3 days', '3 天'] },
  { hours: 168, label: ['7 days', '7 天'] },
  { hours: 720, label: ['30 days', '30 天'] },
]

const EFFECTS: Record<SanctionKind, Text> = {
  warning: [
    'The user receives a notification. Nothing else changes.',
    '系统会通知用户。用户的其他功能不受影响。',
  ],
  silence: [
    'The user receives a notification and sees this message on every attempt to publish. The user may appeal.',
    '系统会立即通知用户。用户每次尝试发布内容时都会看到此提示。用户可以申诉。',
  ],
  suspension: [
    'The user receives an e-mail and sees this message at every sign-in. All sessions of the user end. Published content stays. The user may appeal.',
    '系统会立即发送邮件。用户每次登录时都会看到此提示。用户将在所有设备上退出登录。已发布的内容会保留。用户可以申诉。',
  ],
}

export function previewOf(
  kind: SanctionKind,
  reason: string,
  hours: number | null,
): { told: Text; effect: Text } {
  const end =
    hours === null || !Number.isFinite(hours)
      ? null
      : new Date(Date.now() + hours * 3_600_000).toISOString().slice(0, 19).replace('T', ' ')
  const [en, zh] = end === null ? ['', ''] : [` until ${end} (UTC)`, `至 ${end}（UTC）`]
  const told: Record<SanctionKind, Text> = {
    warning: [`You were warned. ${reason}`, `你收到一次警告。 ${reason}`],
    silence: [`You may read, but not write${en}: ${reason}`, `你已被禁言${zh}：${reason}`],
    suspension: [`This account is suspended${en}: ${reason}`, `该账号已被封禁${zh}：${reason}`],
  }
  return { told: told[kind], effect: EFFECTS[kind] }
}

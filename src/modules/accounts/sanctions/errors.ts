import { wireTime } from '#lib/time.ts'
import { ApiError, apiError, silenced } from '#platform/errors.ts'

/** What a refusal tells of the sanction: why, and until when; null until somebody lifts it. */
export type Told = { reason: string; ends_at: string | null }

export const accountSuspended = apiError(
  403,
  'account_suspended',
  'This account is suspended.',
  '该账号已被暂停使用。',
)
export const sanctionedAlready = apiError(
  422,
  'sanctioned_already',
  'This is in force for this person already: lift it first.',
  '该处罚已对此用户生效，请先解除。',
)
export const sanctionOver = apiError(422, 'sanction_over', 'This is over already.', '该处罚已结束。')
export const sanctionedOneself = apiError(
  422,
  'not_oneself',
  'You cannot do this to yourself.',
  '不能对自己执行此操作。',
)

const untilEn = (end: string | null) => (end === null ? '' : ` until ${wireTime(end)} (UTC)`)
const untilZh = (end: string | null) => (end === null ? '' : `至 ${wireTime(end)}（UTC）`)
const extra = ({ reason, ends_at: end }: Told) => ({
  reason,
  ends_at: end === null ? null : wireTime(end),
})

/** Tells somebody who is suspended why and until when. */
export const suspendedBecause = (told: Told): ApiError =>
  new ApiError(
    accountSuspended.status,
    accountSuspended.code,
    {
      en: `This account is suspended${untilEn(told.ends_at)}: ${told.reason}`,
      zh: `该账号已被暂停使用${untilZh(told.ends_at)}：${told.reason}`,
    },
    { extra: extra(told) },
  )

/** Tells somebody who may only read why and until when. */
export const silencedBecause = (told: Told): ApiError =>
  new ApiError(
    silenced.status,
    silenced.code,
    {
      en: `You may read, but not write${untilEn(told.ends_at)}: ${told.reason}`,
      zh: `你已被禁言${untilZh(told.ends_at)}：${told.reason}`,
    },
    { extra: extra(told) },
  )

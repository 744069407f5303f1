import { wireTime } from '#lib/time.ts'
import { ApiError, apiError, sanctionError, silenced } from '#platform/errors.ts'
import {
  Cursor,
  Flag,
  Id,
  Int,
  Limit,
  listingQuery,
  Nullable,
  OneOf,
  Shared,
  type Static,
  Text,
  Time,
  Type,
} from '#platform/http'

export type Told = { reason: string; ends_at: string | null }

export const accountSuspended = sanctionError(
  'account_suspended',
  'This account is suspended.',
  '该账号已被封禁。',
)
export const alreadySanctioned = apiError(
  422,
  'sanctioned_already',
  'This sanction is already active for this person. Lift it first.',
  '该处罚已对此用户生效，请先解除。',
)
export const sanctionOver = apiError(
  422,
  'sanction_over',
  'This sanction has already ended.',
  '该处罚已结束。',
)
export const cannotSanctionOneself = apiError(
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

export const suspendedBecause = (told: Told): ApiError =>
  new ApiError(
    accountSuspended.status,
    accountSuspended.code,
    {
      en: `This account is suspended${untilEn(told.ends_at)}: ${told.reason}`,
      zh: `该账号已被封禁${untilZh(told.ends_at)}：${told.reason}`,
    },
    { extra: extra(told) },
  )

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

export const SANCTION_KINDS = ['warning', 'silence', 'suspension'] as const
export type SanctionKind = (typeof SANCTION_KINDS)[number]

export const SanctionInput = Shared('NewSanction', {
  kind: OneOf(SANCTION_KINDS),
  reason: Text(500, { minLength: 1, description: 'Reason that the person receives' }),
  hours: Type.Optional(Int(1, 87_600)),
})
export type SanctionInput = Static<typeof SanctionInput>

const shown = {
  id: Type.Integer(),
  kind: OneOf(SANCTION_KINDS),
  reason: Type.String(),
  in_force: Type.Boolean(),
  ends_at: Nullable(Time),
  lifted_at: Nullable(Time),
  created_at: Time,
}

export const OwnSanction = Shared('OwnSanction', {
  ...shown,
  appeal: Nullable(
    Shared('OwnAppeal', {
      id: Type.Integer(),
      state: Type.String({ description: 'pending, accepted, rejected' }),
      answer: Nullable(Type.String()),
      created_at: Time,
    }),
  ),
})
export type OwnSanction = Static<typeof OwnSanction>

export const OwnSanctionQuery = Type.Object({ limit: Limit(), after: Cursor })
export type OwnSanctionQuery = Static<typeof OwnSanctionQuery>

export const Sanction = Shared('Sanction', {
  ...shown,
  user_id: Type.Integer(),
  name: Type.String(),
  imposed_by: Type.Integer(),
  report_id: Nullable(Type.Integer()),
  lifted_by: Nullable(Type.Integer()),
})
export type Sanction = Static<typeof Sanction>

export const SanctionQuery = Type.Object({
  ...listingQuery(['id']),
  user: Type.Optional(Id),
  kind: Type.Optional(OneOf(SANCTION_KINDS)),
  in_force: Type.Optional(Flag()),
})
export type SanctionQuery = Static<typeof SanctionQuery>

export const SanctionParams = Type.Object({ sanction: Id })

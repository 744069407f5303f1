import { apiError } from '#platform/errors.ts'
import {
  Flag,
  Id,
  listingQuery,
  Nullable,
  OneOf,
  Shared,
  type Static,
  Text,
  Time,
  Type,
} from '#platform/http'

export const waveEmpty = apiError(
  422,
  'wave_empty',
  'No account matches. Nothing was stored.',
  '没有符合条件的账号。',
)
export const waveTooLarge = apiError(
  422,
  'wave_too_large',
  'More than 20000 accounts match. Add a filter.',
  '符合条件的账号超过 20000 个，请增加筛选条件。',
)
export const noCriteria = apiError(
  422,
  'no_criteria',
  'Choose at least one filter.',
  '请至少选择一个筛选条件。',
)
export const waveDecided = apiError(
  422,
  'wave_decided',
  'This wave has already been decided.',
  '该批次已处理。',
)
export const waveNotUndoable = apiError(
  422,
  'wave_not_undoable',
  'This wave cannot be undone: it is not decided, already undone, or its deletion has begun.',
  '该批次无法撤销：尚未处理、已撤销，或已开始删除。',
)

const When = (description: string) =>
  Text(19, { pattern: '^\\d{4}-\\d\\d-\\d\\d( \\d\\d:\\d\\d:\\d\\d)?$', description })

const criteria = {
  invited_by: Type.Optional(Id),
  network: Type.Optional(
    Text(60, {
      description:
        'Network of a sign-in, such as 192.0.2.0/24. Sessions store a /24 or /48, so a narrower network matches all of it.',
    }),
  ),
  registered_from: Type.Optional(When('UTC')),
  registered_to: Type.Optional(When('UTC, exclusive')),
  text: Type.Optional(Text(1000, { minLength: 2, description: 'Text of a feed, ignoring case and spaces' })),
  host: Type.Optional(
    Text(253, {
      minLength: 3,
      pattern: '^[A-Za-z0-9.-]+$',
      description: 'Host of a link in a feed, such as example.com',
    }),
  ),
}

/** Accounts match all of the given filters. */
export const WaveCriteria = Shared('AccountWaveCriteria', criteria)
export type WaveCriteria = Static<typeof WaveCriteria>

export const WaveInput = Shared('NewAccountWave', {
  ...criteria,
  include_verified: Type.Optional(Flag()),
})
export type WaveInput = Static<typeof WaveInput>

const ACTIONS = ['disable', 'delete'] as const
const STATES = ['preview', 'running', 'done', 'undoing', 'undone', 'deleting', 'deleted'] as const
const MEMBER_STATES = [
  ...(['chosen', 'disabled', 'already', 'administrator', 'verified', 'erased'] as const),
  ...(['enabled', 'kept', 'released', 'deleted'] as const),
] as const

const Count = Type.Integer()

/** Matching accounts that the wave leaves out, by the first cause that applies. */
const WaveExcluded = Shared('AccountWaveExcluded', {
  administrator: Count,
  oneself: Count,
  verified: Count,
  disabled: Count,
})

export const WaveTotals = Shared('AccountWaveTotals', {
  feeds: Count,
  questions: Count,
  answers: Count,
  followers: Count,
  excluded: WaveExcluded,
})
export type WaveTotals = Static<typeof WaveTotals>

export const Wave = Shared('AccountWave', {
  id: Type.Integer(),
  criteria: WaveCriteria,
  include_verified: Type.Boolean(),
  totals: WaveTotals,
  accounts: Type.Integer({ description: 'Number of accounts, fixed by the preview' }),
  processed: Type.Integer({ description: 'Accounts that the running job has finished' }),
  state: OneOf(STATES),
  action: Nullable(OneOf(ACTIONS)),
  reason: Nullable(Type.String()),
  created_by: Type.Integer(),
  created_at: Time,
  decided_by: Nullable(Type.Integer()),
  decided_at: Nullable(Time),
  due_at: Nullable(Time),
  undoable: Type.Boolean({
    description:
      'For a preview: whether a deletion could be undone. Otherwise whether the wave can be undone now.',
  }),
  finished_at: Nullable(Time),
  undone_by: Nullable(Type.Integer()),
  undone_at: Nullable(Time),
})
export type Wave = Static<typeof Wave>

export const WaveQuery = Type.Object({
  ...listingQuery(['id']),
  state: Type.Optional(OneOf(STATES)),
})
export type WaveQuery = Static<typeof WaveQuery>

export const WaveParams = Type.Object({ wave: Id })

export const WaveMember = Shared('AccountWaveMember', {
  id: Type.Integer({ description: 'Id of the account' }),
  name: Type.String(),
  state: OneOf(MEMBER_STATES, {
    description:
      '`already`: disabled by an earlier decision. `kept`: the undo left it disabled. `released`: the undo had nothing to do.',
  }),
  inviter_id: Nullable(Type.Integer()),
  networks: Type.Array(Type.String(), { description: 'Empty without the ability `admin:user:update`' }),
  feed_id: Nullable(Type.Integer({ description: 'A feed that matches `text` or `host`' })),
  feeds_count: Count,
  questions_count: Count,
  answers_count: Count,
  followers_count: Count,
  created_at: Time,
})
export type WaveMember = Static<typeof WaveMember>

export const WaveMemberQuery = Type.Object({
  ...listingQuery(['id']),
  state: Type.Optional(OneOf(MEMBER_STATES)),
})
export type WaveMemberQuery = Static<typeof WaveMemberQuery>

export const WaveDecision = Shared('AccountWaveDecision', {
  action: OneOf(ACTIONS),
  reason: Text(1000, { minLength: 1 }),
})
export type WaveDecision = Static<typeof WaveDecision>

export const WaveUndo = Shared('AccountWaveUndo', { reason: Text(1000, { minLength: 1 }) })
export type WaveUndo = Static<typeof WaveUndo>

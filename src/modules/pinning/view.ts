import { wireTime, wireTimeOrNull } from '#lib/time.ts'
import type { PinRow } from './queries.ts'

/** The fields of a pin that are the same in every area; `channel`, `raw` and `target` are not among them. */
export const pinView = (pin: PinRow) => ({
  id: pin.id,
  user_id: pin.user_id,
  target_user: pin.decider_id,
  amount: pin.amount,
  day: pin.day,
  state: pin.state,
  expires_at: wireTimeOrNull(pin.expires_at),
  created_at: wireTime(pin.created_at),
  updated_at: wireTime(pin.updated_at),
})

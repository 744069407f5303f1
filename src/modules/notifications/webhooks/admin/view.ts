import { wireTime, wireTimeOrNull } from '#lib/time.ts'
import type { DeliveryRow, WebhookRow } from './queries.ts'

export const webhookView = (row: WebhookRow) => ({
  ...row,
  former_until: wireTimeOrNull(row.former_until),
  created_at: wireTime(row.created_at),
  updated_at: wireTime(row.updated_at),
})

export const deliveryView = <Row extends DeliveryRow>(row: Row) => ({
  ...row,
  next_attempt_at: wireTimeOrNull(row.next_attempt_at),
  created_at: wireTime(row.created_at),
})

/** The fields of an endpoint in the audit log. */
export const summaryOf = ({ url, description, types, enabled }: WebhookRow) => ({
  url,
  description,
  types,
  enabled,
})

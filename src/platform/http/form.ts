import { ApiError } from '#platform/errors.ts'

/** Whether a form ended early: the parser reports that as a plain error, without a code to know it by. */
export const isCutShort = (error: unknown): boolean =>
  error instanceof Error &&
  !(error instanceof ApiError) &&
  /unexpected end|multipart: boundary not found|part terminated early|premature close/i.test(error.message)

import { wireTime } from '#lib/time.ts'
import { ApiError, addressBlocked, apiError, fieldError } from '#platform/errors.ts'

export const noSuchNetwork = fieldError(
  'network',
  'no_such_network',
  'This is no address and no network of at least /8, or /16 of IPv6.',
  '请填写 IP 地址或网段，范围不得大于 /8（IPv6 为 /16）。',
)
export const blockedAlready = fieldError(
  'network',
  'network_blocked_already',
  'This network is blocked already.',
  '该网段已被封禁。',
)
export const tooManyBlocks = apiError(
  422,
  'too_many_address_blocks',
  'There are too many blocks of addresses. Remove some, or block a network.',
  '封禁的地址过多，请删除一些或改为封禁网段。',
)
export const blocksYourself = apiError(
  422,
  'blocks_own_address',
  'This is where you are yourself. Send `own_address` if you mean it.',
  '该网段包含你当前的地址，如确需封禁请同时提交 own_address。',
)

/** Tells somebody who comes from a blocked address until when. */
export const blockedUntil = (end: string | null): ApiError =>
  new ApiError(
    addressBlocked.status,
    addressBlocked.code,
    end === null
      ? addressBlocked.text
      : {
          en: `Nothing is taken from your address until ${wireTime(end)} (UTC).`,
          zh: `你所在的网络地址已被封禁至 ${wireTime(end)}（UTC）。`,
        },
  )

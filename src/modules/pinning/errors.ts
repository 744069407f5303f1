import { apiError } from '#platform/errors.ts'

export const notYours = apiError(
  403,
  'not_your_content',
  'You may only pin what is yours.',
  '只能置顶自己发布的内容。',
)
export const notYoursToDecide = apiError(
  403,
  'not_yours_to_decide',
  'Only the author of the content decides on this.',
  '只有内容作者可以处理该申请。',
)
export const pinnedAlready = apiError(
  422,
  'pin_open',
  'This is pinned, or a request to pin it is waiting.',
  '该内容已置顶或正在申请置顶。',
)
export const nobodyDecides = apiError(
  422,
  'owner_gone',
  'Who would decide on this is not here any more.',
  '内容作者已不存在，无法申请置顶。',
)
export const noLongerWaiting = (status: 403 | 422) =>
  apiError(status, 'pin_decided', 'This request was handled already.', '该置顶申请已处理。')()
/** 422, where one would expect 403 (R §4.4). */
export const notAddressedToYou = apiError(
  422,
  'not_yours_to_decide',
  'This request is not addressed to you.',
  '你没有权限处理该申请。',
)
export const notPinned = apiError(422, 'not_pinned', 'This is not pinned.', '该内容未置顶。')

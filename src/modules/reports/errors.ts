import { apiError } from '#platform/errors.ts'

export const handledAlready = apiError(
  422,
  'report_handled',
  'This report has been handled already.',
  '该举报已被处理。',
)
export const nothingToRemove = apiError(
  422,
  'nothing_to_remove',
  'What was reported is no content that could be removed.',
  '被举报的对象不是可删除的内容。',
)
export const nobodyToSanction = apiError(
  422,
  'nobody_to_sanction',
  'Nobody is known who published this.',
  '没有可处罚的发布者。',
)
export const onlyWhenDealtWith = apiError(
  422,
  'only_when_dealt_with',
  'A report that is rejected removes nothing and concerns nobody.',
  '驳回举报时不能删除内容或处罚用户。',
)

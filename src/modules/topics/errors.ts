import { apiError, fieldError } from '#platform/errors.ts'

export const noSuchTopic = apiError(404, 'no_such_topic', 'This topic does not exist.', '话题不存在。')
export const nameTaken = apiError(
  422,
  'topic_name_taken',
  'A topic of this name exists already.',
  '该名称的话题已存在。',
)

/** A feed names a topic that does not exist for its author. */
export const unknownTopic = fieldError(
  'topics',
  'unknown_topic',
  'One of the topics does not exist.',
  '所选话题不存在。',
)

import { apiError } from '#platform/errors.ts'

export const noSuchTopic = apiError(404, 'no_such_topic', 'This topic does not exist.', '话题不存在。')
export const nameTaken = apiError(
  422,
  'topic_name_taken',
  'A topic of this name exists already.',
  '该名称的话题已存在。',
)

/** Maps PHP class names, which old versions of ThinkSNS+ stored as types, to kinds of content. */
const CLASSES: Record<string, string> = {
  User: 'users',
  Comment: 'comments',
  Feed: 'feeds',
  FeedTopic: 'feed-topics',
  Music: 'musics',
  MusicSpecial: 'music_specials',
  News: 'news',
  Question: 'questions',
  Answer: 'question-answers',
  Group: 'groups',
  Post: 'group-posts',
  GroupPost: 'group-posts',
}
const KINDS = new Set(Object.values(CLASSES))

export function kindOf(name: string | null): string | undefined {
  if (name === null) return undefined
  if (KINDS.has(name)) return name
  if (name === 'types/models/feed-topics') return 'feed-topics'
  return name.includes('\\') ? CLASSES[name.slice(name.lastIndexOf('\\') + 1)] : undefined
}

export const classOf = (name: string | null) => (name ?? '').slice((name ?? '').lastIndexOf('\\') + 1)

export function readObject(text: string | null): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text ?? '')
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}

import { isKithError, KithError } from '@kith/client'
import { useSite } from './site.ts'
import { type Language, words } from './words.ts'

/**
 * Sentences for failures, each with what to do next. All other codes of the API have a sentence in the reply, in the
 * language of the page.
 */
const WORDS = words({
  offline: [
    'You are offline. Nothing is lost. Try again when you are connected.',
    '网络未连接，内容未丢失，联网后请重试。',
  ],
  away: [
    'The site does not answer. Nothing is lost. Try again in a moment.',
    '网站暂时无响应，内容未丢失，请稍后重试。',
  ],
  script: ['Part of this page could not be loaded. Reload the page.', '页面部分内容加载失败，请重新加载。'],
  bug: ['Something went wrong on this page. Reload it and try again.', '页面出错了，请重新加载后重试。'],
  server: [
    'Something went wrong on the site. Try again. If it happens again, tell the people who run it.',
    '网站出错了，请重试。如果问题依旧，请联系管理员。',
  ],
  full: [
    'The site has no space left. Try again later, or tell the people who run it.',
    '网站存储空间已满，请稍后再试或联系管理员。',
  ],
  ended: ['You are no longer signed in. Sign in to go on.', '登录已失效，请重新登录。'],
  refused: ['The site refused this. Reload the page and try again.', '操作被拒绝，请重新加载页面后重试。'],
  missing: ['This no longer exists. Go back and reload the page.', '内容已不存在，请返回并重新加载页面。'],
  large: [
    'This is too large for the site. Choose a smaller file, or write less.',
    '内容过大，请选择更小的文件或缩短文字。',
  ],
  larger: [
    (limit: string) => `This file is larger than ${limit}. Choose a smaller one.`,
    (limit: string) => `文件不能超过 ${limit}，请选择更小的文件。`,
  ],
  kinds: [
    (kinds: string) => `Only ${kinds} files can be used here. Choose another one.`,
    (kinds: string) => `仅支持 ${kinds} 文件，请选择其他文件。`,
  ],
  kind: [
    'The site does not take files of this kind. Choose another one.',
    '不支持该类型的文件，请选择其他文件。',
  ],
  broken: ['This file is damaged. Choose another one.', '文件已损坏，请选择其他文件。'],
  used: [
    'One of the files cannot be used again. Remove it and choose it anew.',
    '有文件无法重复使用，请移除后重新选择。',
  ],
  wait: [
    (minutes: number) => `Too many requests. Try again in ${minutes} min.`,
    (minutes: number) => `操作过于频繁，请 ${minutes} 分钟后再试。`,
  ],
  sending: ['This is still being sent. Wait a moment.', '仍在发送中，请稍候。'],
  sent: [
    'An earlier version of this text was already published. This one was not. Send it again to publish it too.',
    '之前的版本已经发布，当前内容尚未发布。再次发送即可另行发布。',
  ],
  twoSteps: [
    'Turn on two-step verification first, under Settings, Security.',
    '请先在“设置 - 安全”中开启两步验证。',
  ],
  proof: ['Enter your password, or a code that you asked for.', '请输入密码，或你获取的验证码。'],
})

type Sentence = Exclude<keyof (typeof WORDS)['en'], 'wait' | 'larger' | 'kinds'>

/** Codes whose reply speaks to programmers, or does not say what to do. */
const BY_CODE: Record<string, Sentence | 'wait'> = {
  page_failed: 'bug',
  too_many_requests: 'wait',
  unauthenticated: 'ended',
  internal_error: 'server',
  unavailable: 'away',
  storage_unavailable: 'away',
  storage_full: 'full',
  body_too_large: 'large',
  file_too_large: 'large',
  picture_too_large: 'large',
  file_broken: 'broken',
  file_not_usable: 'used',
  file_used_twice: 'used',
  unsupported_media_type: 'kind',
  bad_request: 'refused',
  form_broken: 'refused',
  feed_place_incomplete: 'refused',
  repost_incomplete: 'refused',
  method_not_allowed: 'refused',
  ambiguous_account: 'refused',
  no_such_path: 'missing',
  invalid_signature: 'refused',
  idempotency_key_running: 'sending',
  idempotency_key_reused: 'sent',
  feed_mark_reused: 'sent',
  second_factor_needed: 'twoSteps',
  code_without_state: 'refused',
  proof_required: 'proof',
  no_push_address: 'refused',
  no_push_key: 'refused',
}

/** Replies of a proxy, or of an address that is not Kith, have no code. */
const BY_STATUS: Record<number, Sentence | 'wait'> = {
  401: 'ended',
  403: 'refused',
  404: 'missing',
  410: 'missing',
  413: 'large',
  415: 'kind',
  429: 'wait',
  502: 'away',
  503: 'away',
  504: 'away',
  507: 'full',
}

/** Loads a script that a page needs later. A missing script fails with a code of its own. */
export async function loadScript<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load()
  } catch (cause) {
    throw new KithError(0, 'script_failed', '', { cause })
  }
}

const isAnswer = (error: unknown): error is KithError => isKithError(error) && error.status > 0

/** Returns whether the same request may succeed later. */
export const mayRetry = (error: unknown): boolean =>
  isKithError(error) && (error.status === 0 || error.status >= 500 || [401, 408, 429].includes(error.status))

/** Statuses after which a request may have had an effect, or may have it after the same request is sent again. */
const UNDECIDED = new Set([401, 408, 409, 429])

/**
 * Returns whether the site refused a request for good, so that its idempotency key is used up. Any other request keeps
 * its key, so that a retry does not take effect twice.
 */
export const isDecided = (error: unknown): boolean =>
  isKithError(error) && error.status >= 400 && error.status < 500 && !UNDECIDED.has(error.status)

/** Returns whether a chosen file was moved or changed before it was sent. */
const isLostFile = (error: unknown) =>
  error instanceof DOMException && ['NotReadableError', 'NotFoundError'].includes(error.name)

/** The only way from an error to a sentence for people. */
export function failureText(error: unknown, language: Language): string {
  const t = WORDS[language]
  if (!isAnswer(error)) {
    if (!isKithError(error)) return isLostFile(error) ? t.used : t.bug
    if (navigator.onLine === false) return t.offline
    return error.code === 'script_failed' ? t.script : t.away
  }
  const { code, status, retryAfter, message } = error
  const isKith = code !== '' && !code.startsWith('http_')
  const known = isKith ? BY_CODE[code] : (BY_STATUS[status] ?? (status < 500 ? 'refused' : 'server'))
  const { most, types } = error.body as { most?: number; types?: string[] }
  if (most)
    return t.larger(most < 2 ** 20 ? `${Math.floor(most / 1024)} KB` : `${Math.floor(most / 2 ** 20)} MB`)
  if (types) return t.kinds(types.map((type) => type.replace(/.*\/(x-)?/, '').toUpperCase()).join(', '))
  if (known === 'wait') return t.wait(Math.ceil((retryAfter ?? 60) / 60))
  if (known) return t[known as Sentence]
  const [[field, [text = ''] = []] = ['']] = Object.entries(error.fields)
  if (!text) return message
  // The names of fields are those of the API.
  return language === 'zh'
    ? text.replace(`${field} `, '此项')
    : text.replace(`The ${field} field`, 'This field')
}

export function useFailureText(): (error: unknown) => string {
  const { language } = useSite()
  return (error) => failureText(error, language)
}

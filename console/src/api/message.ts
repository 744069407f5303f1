import { isKithError } from '@kith/client'
import { type Text, textNow } from '../shell/text.ts'

const AWAY: Text = [
  'The server does not answer. Check your connection and try again.',
  '服务器无响应，请检查网络连接后重试。',
]
const BROKEN: Text = [
  'Something went wrong on this page. Reload it and try again.',
  '页面出错了，请重新加载后重试。',
]
const FAILED: Text = [
  'The server failed. Try again, then look at its log.',
  '服务器出错，请重试；如仍失败，请查看服务器日志。',
]
const REFUSED: Text = [
  'The request was refused before it reached the server.',
  '请求在到达服务器之前被拒绝。',
]
const LARGE: Text = [
  'The file is larger than the server or its proxy accepts. Choose a smaller one.',
  '文件超过服务器或代理允许的大小，请选择更小的文件。',
]
const ENDED: Text = ['You are no longer signed in. Sign in again.', '登录已失效，请重新登录。']

/** Codes whose messages speak to programmers. */
const BY_CODE: Record<string, Text> = {
  unauthenticated: ENDED,
  internal_error: FAILED,
  body_too_large: LARGE,
}

/** The only way from an error to a sentence for administrators. */
export function messageOf(thrown: unknown): string {
  const { message: text = '', cause } = Object(thrown) as Error
  // The data provider wraps errors for react-admin.
  const error = isKithError(cause) ? cause : thrown
  if (!isKithError(error)) {
    // Keys of translations, which the caller translates.
    return /^(kith|ra)\.[\w.]+$/.test(text) ? text : textNow(BROKEN)
  }
  const { status, code, fields, message } = error
  const known = BY_CODE[code]
  if (known) return textNow(known)
  if (status === 0) return textNow(AWAY)
  // Replies of a proxy have no code of Kith.
  if (code.startsWith('http_')) return textNow(status === 413 ? LARGE : status < 500 ? REFUSED : AWAY)
  return Object.values(fields).flat().join(' ') || message
}

import { readFileSync } from 'node:fs'

export type Environment = Record<string, string | undefined>

/**
 * Settings whose value may also come from a file that `<NAME>_FILE` names. They are secrets, URLs with a
 * password and multi-line keys.
 */
export const SECRETS = [
  'ALIPAY_PRIVATE_KEY',
  'ALIPAY_PUBLIC_KEY',
  'APNS_KEY',
  'APP_SECRET',
  'BACKUP_PASSPHRASE',
  'DATABASE_DIRECT_URL',
  'DATABASE_REPLICA_URLS',
  'DATABASE_URL',
  'FCM_SERVICE_ACCOUNT',
  'FOUNDER_PASSWORD',
  'IM_EASEMOB_CLIENT_ID',
  'IM_EASEMOB_CLIENT_SECRET',
  'IM_EJABBERD_PASSWORD',
  'JPUSH_MASTER_SECRET',
  'PUSH_SECRET',
  'PUSH_URL',
  'REDIS_URL',
  'S3_ACCESS_KEY_ID',
  'S3_SECRET_ACCESS_KEY',
  'SMS_ALIYUN_KEY_SECRET',
  'SMS_SECRET',
  'SMS_TENCENT_SECRET_ID',
  'SMS_TENCENT_SECRET_KEY',
  'SMS_TWILIO_TOKEN',
  'SMS_URL',
  'SMS_YUNPIAN_KEY',
  'SMTP_URL',
  'STRIPE_SECRET_KEY',
  'STRIPE_WEBHOOK_SECRET',
  'WECHAT_PAY_API_KEY',
  'WECHAT_PAY_PRIVATE_KEY',
  'WECHAT_PAY_PUBLIC_KEY',
] as const

const isSecret = (name: string) =>
  (SECRETS as readonly string[]).includes(name) || /^LINKED_\w+_CLIENT_SECRET$/.test(name)

export const fileVariables = (names: readonly string[]): string[] =>
  names.filter(isSecret).map((name) => `${name}_FILE`)

const REASONS: Record<string, string> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'does not exist',
  EACCES: 'may not be read by this user',
  EPERM: 'may not be read by this user',
  EISDIR: 'is a folder',
}

export function settingReader(env: Environment, faults: string[]): (name: string) => string | undefined {
  const contents = new Map<string, string | undefined>()
  const readSecret = (name: string, path: string) => {
    if (env[name]?.trim())
      return void faults.push(`${name} and ${name}_FILE are both set: remove one of them`)
    try {
      const content = readFileSync(path, 'utf8').trim()
      if (content !== '') return content
      faults.push(
        `${name}_FILE names ${path}, which is empty: write the value into it, or remove ${name}_FILE`,
      )
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code ?? 'unknown error'
      faults.push(`${name}_FILE names ${path}, which ${REASONS[code] ?? `cannot be read (${code})`}`)
    }
    return undefined
  }
  return (name) => {
    const path = isSecret(name) ? env[`${name}_FILE`]?.trim() : undefined
    if (!path) return env[name]?.trim() || undefined
    if (!contents.has(name)) contents.set(name, readSecret(name, path))
    return contents.get(name)
  }
}

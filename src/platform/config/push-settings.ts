import type { SettingReader } from './setting-groups.ts'

export type FcmAccount = { project_id: string; client_email: string; private_key: string; token_uri: string }
export type ApnsKey = { key: string; keyId: string; teamId: string; topic: string }
export type JpushKey = { appKey: string; masterSecret: string }

export const readPushServices = (read: SettingReader) => ({
  fcm: readFcmAccount(read),
  apns: readApns(read),
  jpush: readJpush(read),
})

function readFcmAccount({ text, faults }: SettingReader): FcmAccount | undefined {
  const json = text('FCM_SERVICE_ACCOUNT')
  if (json === undefined) return undefined
  try {
    const account = JSON.parse(json) as FcmAccount
    const names = ['project_id', 'client_email', 'private_key', 'token_uri'] as const
    if (names.every((name) => typeof account[name] === 'string')) return account
  } catch {
    // Drops the parse error, because the error's message quotes the private key.
  }
  faults.push(
    'FCM_SERVICE_ACCOUNT must be the JSON of a service account, or FCM_SERVICE_ACCOUNT_FILE its file',
  )
  return undefined
}

function readApns({ text, faults }: SettingReader) {
  const [key, keyId, teamId] = [text('APNS_KEY'), text('APNS_KEY_ID'), text('APNS_TEAM_ID')]
  const [topic, sandbox] = [text('APNS_TOPIC'), text('APNS_SANDBOX')]
  if ([key, keyId, teamId, topic].every((value) => value === undefined)) return undefined
  if (key && keyId && teamId && topic) return { key, keyId, teamId, topic, isSandbox: sandbox === 'true' }
  faults.push('APNS_KEY, APNS_KEY_ID, APNS_TEAM_ID and APNS_TOPIC belong together')
  return undefined
}

function readJpush({ text, faults }: SettingReader) {
  const [appKey, masterSecret] = [text('JPUSH_APP_KEY'), text('JPUSH_MASTER_SECRET')]
  if (appKey && masterSecret) return { appKey, masterSecret }
  if (appKey || masterSecret) faults.push('JPUSH_APP_KEY and JPUSH_MASTER_SECRET belong together')
  return undefined
}

import type { ComponentChildren } from 'preact'
import { useWords, words } from '../../../app/words.ts'
import { Tabs } from '../../../ui/tabs.tsx'

const WORDS = words({
  title: ['Settings', '设置'],
  '/settings': ['Profile', '资料'],
  '/account/tags': ['Tags', '标签'],
  '/account/certification': ['Certification', '身份认证'],
  '/account/security': ['Security', '账号安全'],
  '/account/invitations': ['Invitations', '邀请'],
  '/account/sessions': ['Sessions', '登录设备'],
  '/account/blocked': ['Blocked', '黑名单'],
  '/account/muted': ['Muted', '屏蔽'],
  '/account/contact': ['Contact', '互动权限'],
  '/notifications/preferences': ['Push notifications', '推送通知'],
  '/account/exports': ['My data', '我的数据'],
  '/account/sanctions': ['Sanctions', '处罚与申诉'],
})

const PATHS = [
  '/settings',
  '/account/tags',
  '/account/certification',
  '/account/security',
  '/account/invitations',
  '/account/sessions',
  '/account/blocked',
  '/account/muted',
  '/account/contact',
  '/notifications/preferences',
  '/account/exports',
  '/account/sanctions',
] as const

export function SettingsFrame({ path, children }: { path: string; children: ComponentChildren }) {
  const t = useWords(WORDS)
  return (
    <>
      <header class="page-head">
        <h1>{t.title}</h1>
      </header>
      <Tabs label={t.title} here={path} tabs={PATHS.map((each) => [each, t[each]])} />
      <div class="settings">{children}</div>
    </>
  )
}

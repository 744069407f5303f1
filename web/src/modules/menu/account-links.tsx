import { read, useRead } from '../../app/api.ts'
import { useToast } from '../../app/toast.tsx'
import { useWords, words } from '../../app/words.ts'
import { signOut } from '../accounts/session.ts'

const WORDS = words({
  console: ['Console', '管理后台'],
  signOut: ['Sign out', '退出登录'],
})

export const abilitiesOf = () => read('/user/abilities')

/** Appears only for users who may enter the console. */
export function ConsoleLink() {
  const t = useWords(WORDS)
  const { data: abilities = [] } = useRead(abilitiesOf())
  return abilities.some(({ name }) => name === 'admin: login') ? <a href="/admin">{t.console}</a> : null
}

export function SignOut({ class: name }: { class?: string }) {
  const t = useWords(WORDS)
  const { fail } = useToast()
  return (
    <button type="button" class={name} onClick={() => signOut().then(() => location.assign('/'), fail)}>
      {t.signOut}
    </button>
  )
}

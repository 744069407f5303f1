import { useWords, words } from './words.ts'

const WORDS = words({ signOut: ['Sign out', '退出登录'] })

/** A form instead of a request of the scripts, so that people can sign out without them. */
export function SignOut({ class: kind }: { class: string }) {
  const t = useWords(WORDS)
  return (
    <form method="post" action="/sign-out" class="sign-out">
      <button type="submit" class={kind}>
        {t.signOut}
      </button>
    </form>
  )
}

import { definePage } from '../../app/page.ts'
import { useWords, words } from '../../app/words.ts'
import { nextPath } from './session.ts'
import { SignInForm } from './sign-in-form.tsx'

const WORDS = words({
  title: ['Sign in', '登录'],
  reset: ['Your password was changed. Sign in with the new password.', '密码已修改，请使用新密码登录。'],
})

export const page = definePage({
  head: ({ language }) => ({ title: WORDS[language].title, isPrivate: true }),
  body: ({ visit }) => {
    const t = useWords(WORDS)
    const next = nextPath(visit.search)
    return (
      <SignInForm
        next={next}
        posted={visit.posted}
        notice={visit.search.has('reset') ? t.reset : undefined}
        onDone={() => location.assign(next)}
      />
    )
  },
})

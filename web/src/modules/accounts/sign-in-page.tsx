import { definePage } from '../../app/page.ts'
import { words } from '../../app/words.ts'
import { nextPath } from './session.ts'
import { SignInForm } from './sign-in-form.tsx'

const WORDS = words({ title: ['Sign in', '登录'] })

export const page = definePage({
  head: ({ language }) => ({ title: WORDS[language].title, isPrivate: true }),
  body: ({ visit }) => {
    const next = nextPath(visit.search)
    return <SignInForm next={next} onDone={() => location.assign(next)} />
  },
})

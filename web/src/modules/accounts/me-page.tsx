import { definePage } from '../../app/page.ts'
import { useViewer } from '../../app/site.ts'
import { words } from '../../app/words.ts'
import { feedsOf, Profile } from './profile.tsx'

const WORDS = words({
  title: ['Profile', '个人主页'],
})

export const page = definePage({
  queries: ({ viewer }) => (viewer ? [feedsOf(viewer.id)] : []),
  head: ({ language }) => ({ title: WORDS[language].title, isPrivate: true }),
  body: () => {
    const viewer = useViewer()
    return viewer && <Profile user={viewer} path={`/users/${viewer.id}`} />
  },
})

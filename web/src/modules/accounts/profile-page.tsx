import { read, useRead } from '../../app/api.ts'
import { definePage, type Visit } from '../../app/page.ts'
import { feedsOf, Profile } from './profile.tsx'

const userOf = ({ params }: Visit) =>
  read('/users/{user}', { params: { path: { user: decodeURIComponent(params.user ?? '') } } })

const afterOf = ({ search }: Visit) => Number(search.get('after')) || undefined

export const page = definePage({
  queries: (visit) => [
    userOf(visit),
    ...(/^\d{1,15}$/.test(visit.params.user ?? '')
      ? [feedsOf(Number(visit.params.user), afterOf(visit))]
      : []),
  ],
  head: (visit, known) => {
    const user = known.one(userOf(visit))
    const url = `${visit.origin}/users/${user.id}`
    return {
      title: user.name,
      description: user.bio ?? user.name,
      canonical: `/users/${user.id}`,
      type: 'profile',
      atom: `/users/${user.id}/feeds.atom`,
      ...(user.avatar ? { image: { url: user.avatar.url, alt: user.name } } : {}),
      data: {
        '@type': 'ProfilePage',
        url,
        mainEntity: {
          '@type': 'Person',
          name: user.name,
          url,
          ...(user.bio ? { description: user.bio } : {}),
        },
      },
    }
  },
  body: ({ visit }) => {
    const { data: user } = useRead(userOf(visit))
    return user ? <Profile user={user} path={visit.path} after={afterOf(visit)} /> : null
  },
})

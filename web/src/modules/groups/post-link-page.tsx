import { read } from '../../app/api.ts'
import { definePage, type Visit } from '../../app/page.ts'

const headlineOf = ({ params }: Visit) =>
  read('/simple-posts', { params: { query: { id: [Number(params.post)] } } })

/** Redirects from the id of a post, which is all that a notification has, to its address below the group. */
export const page = definePage({
  queries: (visit) => [headlineOf(visit)],
  redirect: (visit, known) => {
    const [post] = known.one(headlineOf(visit))
    return post ? `/groups/${post.group_id}/posts/${post.id}` : '/groups'
  },
  head: () => ({ title: 'Kith', isPrivate: true }),
  body: () => null,
})

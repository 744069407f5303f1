import { read } from '../../app/api.ts'
import { definePage, type Visit } from '../../app/page.ts'

const headlineOf = ({ params }: Visit) =>
  read('/simple-posts', { params: { query: { id: [Number(params.post)] } } })

/** Redirects from a post id to the post's URL below its group, because notifications contain only the id. */
export const page = definePage({
  queries: (visit) => [headlineOf(visit)],
  redirect: (visit, known) => {
    const [post] = known.one(headlineOf(visit))
    return post ? `/groups/${post.group_id}/posts/${post.id}` : '/groups'
  },
  head: () => ({ title: '', isPrivate: true }),
  body: () => null,
})

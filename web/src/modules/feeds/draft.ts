import { newKey } from '@kith/client'
import { loadScript } from '../../app/failures.ts'
import { useSite } from '../../app/site.ts'
import { useDraft } from '../../app/use-draft.ts'
import type { Media } from './media.ts'

type Post = {
  text: string
  topics: { id: number; name: string }[]
  media: Media[]
  amount?: number | undefined
}

const EMPTY: Post = { text: '', topics: [], media: [] }

const stored = (post: Post): Post => ({
  ...post,
  media: post.media.flatMap(({ file, url, progress, error, ...rest }) => (rest.id ? [rest] : [])),
})

/** Draft of a feed with its pictures or video. */
export function usePost() {
  const { api, settings } = useSite()
  const draft = useDraft('post', EMPTY, { stored })
  const { change } = draft
  const { media: chosenMedia } = draft.value
  const changeMedia = (key: string, by: Partial<Media>) =>
    change(({ media }) => ({ media: media.map((each) => (each.key === key ? { ...each, ...by } : each)) }))
  const upload = async (media: Media) => {
    const { key, file, url } = media
    if (!file || !url) return
    changeMedia(key, { error: undefined, progress: 0 })
    try {
      const { uploadMedia } = await loadScript(() => import('./media.ts'))
      const onProgress = (progress: number) => changeMedia(key, { progress })
      changeMedia(key, {
        ...(await uploadMedia(api, settings, { ...media, file, url }, onProgress)),
        progress: 1,
      })
    } catch (error) {
      changeMedia(key, { error })
    }
  }
  /** Returns false when not all files and earlier pictures fit into one post. */
  const add = (files: File[], most: number): boolean => {
    const videos = files.filter(({ type }) => type.startsWith('video/'))
    const chosen = videos.length > 0 ? videos.slice(0, 1) : files
    const added = chosen.map(
      (file): Media => ({
        key: newKey(),
        name: file.name,
        file,
        url: URL.createObjectURL(file),
        isVideo: file.type.startsWith('video/'),
      }),
    )
    const kept = videos.length > 0 ? [] : chosenMedia.filter(({ isVideo }) => !isVideo)
    const media = [...kept, ...added].slice(0, most)
    change({ media })
    for (const each of added) if (media.includes(each)) void upload(each)
    return media.length === chosenMedia.length + files.length
  }
  const drop = (key: string) => change({ media: chosenMedia.filter((each) => each.key !== key) })
  const promote = (at: number) => {
    const media = [...chosenMedia]
    media.splice(at - 1, 0, ...media.splice(at, 1))
    change({ media })
  }
  const unprice = () =>
    change({ amount: undefined, media: chosenMedia.map((each) => ({ ...each, amount: undefined })) })
  return { draft, changeMedia, add, drop, promote, unprice, upload }
}

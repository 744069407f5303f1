import { newId } from '../../app/ids.ts'
import { useSite } from '../../app/site.ts'
import { useDraft } from '../../app/use-draft.ts'

/** Picture or video of a draft. A reload loses the local file but not its upload. */
export type Media = {
  key: string
  name: string
  isVideo?: boolean
  file?: File
  url?: string
  id?: number
  cover?: number
  amount?: number
  progress?: number
  hasFailed?: boolean
}

type Post = {
  text: string
  topics: { id: number; name: string }[]
  media: Media[]
  amount?: number
}

const EMPTY: Post = { text: '', topics: [], media: [] }

const stored = (post: Post): Post => ({
  ...post,
  media: post.media.flatMap(({ file, url, progress, hasFailed, ...rest }) => (rest.id ? [rest] : [])),
})

async function frameOf(url: string): Promise<Blob> {
  const video = document.createElement('video')
  video.muted = true
  video.src = url
  await new Promise((resolve, reject) => {
    video.onseeked = resolve
    video.onerror = () => reject(new Error('No video'))
    video.onloadeddata = () => {
      video.currentTime = Math.min(1, video.duration / 2)
    }
  })
  const canvas = document.createElement('canvas')
  canvas.width = video.videoWidth
  canvas.height = video.videoHeight
  canvas.getContext('2d')?.drawImage(video, 0, 0)
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('No frame'))), 'image/jpeg', 0.85),
  )
}

/** Draft of a feed with its pictures or video. */
export function usePost() {
  const { api } = useSite()
  const draft = useDraft('post', EMPTY, { stored })
  const { change } = draft
  const { media: chosenMedia } = draft.value
  const changeMedia = (key: string, by: Partial<Media>) =>
    change(({ media }) => ({ media: media.map((each) => (each.key === key ? { ...each, ...by } : each)) }))
  const upload = async ({ key, name, file, url, isVideo }: Media) => {
    if (!file || !url) return
    changeMedia(key, { hasFailed: false, progress: 0 })
    try {
      const onProgress = ({ sent, total }: { sent: number; total: number }) =>
        changeMedia(key, { progress: total ? sent / total : 0 })
      const { id } = await api.upload(file, { name, onProgress })
      const cover = isVideo ? (await api.upload(await frameOf(url), { name: 'cover.jpg' })).id : undefined
      changeMedia(key, { id, progress: 1, ...(cover ? { cover } : {}) })
    } catch {
      changeMedia(key, { hasFailed: true })
    }
  }
  const add = (files: File[], most: number) => {
    const videos = files.filter(({ type }) => type.startsWith('video/'))
    const chosen = videos.length > 0 ? videos.slice(0, 1) : files
    const added = chosen.map(
      (file): Media => ({
        key: newId(),
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
  }
  const drop = (key: string) => change({ media: chosenMedia.filter((each) => each.key !== key) })
  const promote = (at: number) => {
    const media = [...chosenMedia]
    media.splice(at - 1, 0, ...media.splice(at, 1))
    change({ media })
  }
  return { draft, changeMedia, add, drop, promote, upload }
}

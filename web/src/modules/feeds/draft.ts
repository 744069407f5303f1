import { useEffect, useState } from 'preact/hooks'
import { loadScript } from '../../app/failures.ts'
import { useSite } from '../../app/site.ts'
import type { Media } from './media.ts'

export type Draft = {
  text: string
  mark: string
  topics: { id: number; name: string }[]
  media: Media[]
  amount?: number
}

const KEY = 'kith.draft.feed'
const fresh = (): Draft => ({ text: '', mark: crypto.randomUUID(), topics: [], media: [] })

function stored(): Draft {
  try {
    return { ...fresh(), ...(JSON.parse(localStorage.getItem(KEY) ?? '{}') as Draft) }
  } catch {
    return fresh()
  }
}

/**
 * Draft of a feed. A reload keeps the draft. Its mark stays the same until publication, so that a retry does
 * not publish the feed twice.
 */
export function useDraft() {
  const { api, settings } = useSite()
  const [draft, setDraft] = useState<Draft>({ text: '', mark: '', topics: [], media: [] })
  useEffect(() => setDraft(stored()), [])
  useEffect(() => {
    if (!draft.mark) return
    const media = draft.media.flatMap(({ file, url, progress, error, ...rest }) => (rest.id ? [rest] : []))
    localStorage.setItem(KEY, JSON.stringify({ ...draft, media }))
  }, [draft])
  const change = (by: Partial<Draft>) => setDraft((old) => ({ ...old, ...by }))
  const changeMedia = (key: string, by: Partial<Media>) =>
    setDraft((old) => ({
      ...old,
      media: old.media.map((each) => (each.key === key ? { ...each, ...by } : each)),
    }))
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
  const add = (files: File[], most: number) => {
    const videos = files.filter(({ type }) => type.startsWith('video/'))
    const chosen = videos.length > 0 ? videos.slice(0, 1) : files
    const added = chosen.map(
      (file): Media => ({
        key: crypto.randomUUID(),
        name: file.name,
        file,
        url: URL.createObjectURL(file),
        isVideo: file.type.startsWith('video/'),
      }),
    )
    const kept = videos.length > 0 ? [] : draft.media.filter(({ isVideo }) => !isVideo)
    const media = [...kept, ...added].slice(0, most)
    change({ media })
    for (const each of added) if (media.includes(each)) void upload(each)
  }
  const drop = (key: string) => change({ media: draft.media.filter((each) => each.key !== key) })
  const promote = (at: number) => {
    const media = [...draft.media]
    media.splice(at - 1, 0, ...media.splice(at, 1))
    change({ media })
  }
  return { draft, change, changeMedia, add, drop, promote, upload, clear: () => setDraft(fresh()) }
}

import { ArrowLeft, CircleDollarSign, Image, RotateCw, X } from 'lucide-preact'
import { useRef, useState } from 'preact/hooks'
import { useWrite } from '../../app/api.ts'
import { mayRetry, useFailureText } from '../../app/failures.ts'
import { useSite } from '../../app/site.ts'
import { useToast } from '../../app/toast.tsx'
import { acceptOf } from '../../app/uploads.ts'
import { plural, useWords, words } from '../../app/words.ts'
import { DraftNotes } from '../../ui/draft-notes.tsx'
import { Avatar } from '../../ui/picture.tsx'
import { useShowPublished } from '../../ui/published.ts'
import { WritingArea } from '../../ui/writing-area.tsx'
import { usePost } from './draft.ts'
import type { Media } from './media.ts'

const WORDS = words({
  prompt: ['What is happening?', '分享新鲜事…'],
  publish: ['Publish', '发布'],
  publishing: ['Publishing…', '发布中…'],
  published: ['Published.', '已发布。'],
  add: ['Add pictures or a video', '添加图片或视频'],
  most: [
    (n: number) => `A post has up to ${n} pictures or one video. The others were left out.`,
    (n: number) => `一条动态最多包含 ${n} 张图片或 1 个视频，其余未添加。`,
  ],
  remove: ['Remove', '移除'],
  retry: ['Try again', '重试'],
  forward: ['Move forward', '前移'],
  picture: ['Picture', '图片'],
  uploading: ['Uploading', '上传中'],
  price: ['Set a price', '设置价格'],
  files: [(n: number) => plural(n, 'picture'), (n: number) => `${n} 张图片`],
  textPrice: ['Price of the full text, in points', '全文价格（积分）'],
  picturePrice: ['Price of picture', '图片价格'],
})

const MOST = 9

export function Compose() {
  const t = useWords(WORDS)
  const { api, viewer, settings } = useSite()
  const { say, fail } = useToast()
  const textOf = useFailureText()
  const { draft, changeMedia, add, drop, promote, unprice, upload } = usePost()
  const { change } = draft
  const { text, media, topics, amount } = draft.value
  const [isPriceOpen, setIsPriceOpen] = useState(false)
  // Shows the price of a restored draft, so that its author does not publish it for free.
  const hasPrice = isPriceOpen || amount !== undefined || media.some((each) => each.amount !== undefined)
  const input = useRef<HTMLInputElement>(null)
  const show = useShowPublished()
  const publish = useWrite(
    () => {
      const [first] = media
      const pictures = media.map(({ id, amount: price }) => ({
        id: id as number,
        ...(hasPrice && price ? { amount: price, type: 'read' as const } : {}),
      }))
      return draft.send((mark) =>
        api.post('/feeds', {
          body: {
            feed_content: text,
            feed_from: innerWidth < 700 ? 2 : 1,
            feed_mark: mark,
            ...(topics.length > 0 ? { topics: topics.map(({ id }) => ({ id })) } : {}),
            ...(hasPrice && amount ? { amount } : {}),
            ...(first?.isVideo
              ? { video: { video_id: first.id as number, cover_id: first.cover as number } }
              : pictures.length > 0
                ? { images: pictures }
                : {}),
          },
        }),
      )
    },
    { onSuccess: ({ id }) => void show(['/feeds'], `feed-${id}`, `/feeds/${id}`) },
  )
  const isReady = media.every(({ id }) => id !== undefined) && (text.trim() !== '' || media.length > 0)
  return (
    <form
      class="compose"
      method="post"
      onSubmit={(event) => {
        event.preventDefault()
        publish.mutate(undefined, {
          onSuccess: () => {
            setIsPriceOpen(false)
            say(t.published)
          },
          onError: fail,
        })
      }}
    >
      <Avatar person={viewer} />
      <div>
        <DraftNotes draft={draft} excerpt={(other) => other.text || t.files(other.media.length)} />
        <WritingArea
          aria-label={t.prompt}
          placeholder={t.prompt}
          rows={text.length > 80 ? 6 : 2}
          maxLength={10_000}
          value={text}
          readOnly={publish.isPending}
          onText={(next) => change({ text: next })}
          onTopic={(topic) => change({ topics: [...topics.filter(({ id }) => id !== topic.id), topic] })}
        />
        {topics.length > 0 && (
          <ul class="tags">
            {topics.map(({ id, name }) => (
              <li key={id}>
                <button
                  type="button"
                  class="chip"
                  aria-label={`${t.remove}: ${name}`}
                  onClick={() => change({ topics: topics.filter((topic) => topic.id !== id) })}
                >
                  #{name} <X size={14} aria-hidden />
                </button>
              </li>
            ))}
          </ul>
        )}
        {media.length > 0 && (
          <ul class="chosen">
            {media.map((each, n) => (
              <Chosen
                key={each.key}
                media={each}
                place={n}
                onDrop={() => drop(each.key)}
                onRetry={() => upload(each)}
                onPromote={() => promote(n)}
                onPrice={
                  hasPrice && !each.isVideo ? (price) => changeMedia(each.key, { amount: price }) : null
                }
              />
            ))}
          </ul>
        )}
        <div role="alert">
          {media.map(
            ({ key, name, error }) =>
              error !== undefined && (
                <p key={key} class="failure">
                  {name}: {textOf(error)}
                </p>
              ),
          )}
        </div>
        {hasPrice && (
          <label class="price-field">
            {t.textPrice}
            <input
              type="number"
              min={0}
              inputMode="numeric"
              value={amount ?? ''}
              onInput={({ currentTarget }) => change({ amount: Number(currentTarget.value) })}
            />
          </label>
        )}
        <div class="compose-bar">
          <input
            ref={input}
            type="file"
            accept={acceptOf(settings, 'media')}
            multiple
            hidden
            onChange={({ currentTarget }) => {
              if (!add([...(currentTarget.files ?? [])], MOST)) say(t.most(MOST))
              currentTarget.value = ''
            }}
          />
          <span>
            <button
              type="button"
              class="icon-button"
              aria-label={t.add}
              title={t.add}
              disabled={publish.isPending}
              onClick={() => input.current?.click()}
            >
              <Image size={22} aria-hidden />
            </button>
            {settings.feed.paycontrol === true && (
              <button
                type="button"
                class="icon-button"
                aria-label={t.price}
                title={t.price}
                aria-pressed={hasPrice}
                onClick={() => {
                  setIsPriceOpen(!hasPrice)
                  if (hasPrice) unprice()
                }}
              >
                <CircleDollarSign size={22} aria-hidden />
              </button>
            )}
          </span>
          <button type="submit" class="button" disabled={publish.isPending || !isReady}>
            {publish.isPending ? t.publishing : t.publish}
          </button>
        </div>
      </div>
    </form>
  )
}

function Chosen({
  media,
  place,
  onDrop,
  onRetry,
  onPromote,
  onPrice,
}: {
  media: Media
  place: number
  onDrop(): void
  onRetry(): void
  onPromote(): void
  onPrice: ((price: number) => void) | null
}) {
  const t = useWords(WORDS)
  const { id, url, isVideo, cover, progress, error, amount } = media
  const shown = isVideo && id ? `/api/v2/files/${cover}?w=192` : (url ?? `/api/v2/files/${id}?w=192`)
  const name = `${t.picture} ${place + 1}`
  return (
    <li>
      {isVideo && !id ? (
        <video src={url} width={96} height={96} muted />
      ) : (
        <img src={shown} alt={name} width={96} height={96} />
      )}
      {!id && error === undefined && <progress aria-label={t.uploading} value={progress ?? 0} max={1} />}
      {error !== undefined && mayRetry(error) && (
        <button type="button" class="is-retry" aria-label={`${t.retry}: ${name}`} onClick={onRetry}>
          <RotateCw size={16} aria-hidden />
        </button>
      )}
      {place > 0 && (
        <button type="button" class="is-forward" aria-label={`${t.forward}: ${name}`} onClick={onPromote}>
          <ArrowLeft size={16} aria-hidden />
        </button>
      )}
      <button type="button" class="is-remove" aria-label={`${t.remove}: ${name}`} onClick={onDrop}>
        <X size={16} aria-hidden />
      </button>
      {onPrice && (
        <input
          type="number"
          min={0}
          aria-label={`${t.picturePrice} ${place + 1}`}
          inputMode="numeric"
          value={amount ?? ''}
          onInput={({ currentTarget }) => onPrice(Number(currentTarget.value))}
        />
      )}
    </li>
  )
}

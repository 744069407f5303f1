import type { ChatMessage } from '@kith/client'
import { useState } from 'preact/hooks'
import { useSite } from '../../app/site.ts'
import { plainLine } from '../../app/text.ts'
import { useWords, words } from '../../app/words.ts'
import { Report } from '../../ui/report.tsx'
import { Text } from '../../ui/text.tsx'
import { Time } from '../../ui/time.tsx'
import { Viewer } from '../../ui/viewer.tsx'

const WORDS = words({
  deleted: ['Message deleted', '消息已删除'],
  edited: ['edited', '已编辑'],
  delete: ['Delete', '删除'],
  edit: ['Edit', '编辑'],
  reply: ['Reply', '回复'],
  file: ['File', '文件'],
  picture: ['Picture', '图片'],
  sound: ['Voice message', '语音'],
  earlier: ['Earlier message', '更早的消息'],
  me: ['Me', '我'],
})

type Brief = Pick<ChatMessage, 'body' | 'file' | 'deleted'> & Partial<Pick<ChatMessage, 'body_tree'>>

export function useBrief() {
  const t = useWords(WORDS)
  return ({ body, body_tree, file, deleted }: Brief): string => {
    if (deleted) return t.deleted
    if (body) return plainLine(body_tree, body)
    if (file?.mime.startsWith('image/')) return t.picture
    return file?.mime.startsWith('audio/') ? t.sound : t.file
  }
}

function Media({ file }: { file: NonNullable<ChatMessage['file']> }) {
  const t = useWords(WORDS)
  const [isOpen, setIsOpen] = useState(false)
  const url = `/api/v2/files/${file.file}`
  if (file.mime.startsWith('audio/'))
    // biome-ignore lint/a11y/useMediaCaption: people record no captions
    return <audio src={url} controls preload="none" aria-label={t.sound} />
  if (file.mime.startsWith('video/'))
    // biome-ignore lint/a11y/useMediaCaption: people record no captions
    return <video src={url} controls preload="none" aria-label={t.file} />
  const [width = 4, height = 3] = file.size?.split('x').map(Number) ?? []
  return (
    <>
      <button type="button" onClick={() => setIsOpen(true)}>
        <img src={`${url}?w=480`} width={width} height={height} alt={t.picture} />
      </button>
      {isOpen && (
        <Viewer
          pictures={[{ url, width, height, alt: t.picture }]}
          first={0}
          onClose={() => setIsOpen(false)}
        />
      )}
    </>
  )
}

export function Message({
  message,
  name,
  quoted,
  onReply,
  onEdit,
  onErase,
}: {
  message: ChatMessage
  name: string | undefined
  quoted: ChatMessage | undefined
  onReply(): void
  onEdit(): void
  onErase(): void
}) {
  const t = useWords(WORDS)
  const { api, viewer } = useSite()
  const brief = useBrief()
  const { id, sender_id, body, file, deleted, created_at } = message
  const isMine = sender_id === viewer?.id
  return (
    <li class={isMine ? 'message is-mine' : 'message'} id={`message-${id}`}>
      {name && (
        <p class="message-name" dir="auto">
          {name}
        </p>
      )}
      <div class="bubble">
        {isMine && <span class="sr-only">{t.me}: </span>}
        {message.reply_to !== null && (
          <blockquote class="quoted" dir="auto">
            {quoted ? <a href={`#message-${quoted.id}`}>{brief(quoted)}</a> : t.earlier}
          </blockquote>
        )}
        {deleted && <p class="quiet">{t.deleted}</p>}
        {body && <Text tree={message.body_tree} raw={body} />}
        {file && <Media file={file} />}
      </div>
      <div class="message-foot">
        <span class="time">
          <Time at={created_at} form="moment" />
          {message.edited_at && !deleted && ` · ${t.edited}`}
        </span>
        {!deleted && sender_id > 0 && (
          <>
            <button type="button" class="text-button" onClick={onReply}>
              {t.reply}
            </button>
            {isMine && body && (
              <button type="button" class="text-button" onClick={onEdit}>
                {t.edit}
              </button>
            )}
            {isMine ? (
              <button type="button" class="text-button" onClick={onErase}>
                {t.delete}
              </button>
            ) : (
              <Report
                place={`message/${id}`}
                send={(reason) =>
                  api.post('/chats/messages/{message}/reports', {
                    params: { path: { message: id } },
                    body: { reason },
                  })
                }
              />
            )}
          </>
        )}
      </div>
    </li>
  )
}

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
  ts_group_create: ['The group was created.', '群聊已创建。'],
  ts_group_change: ['The group was changed.', '群聊信息已修改。'],
  ts_user_join: ['New members joined.', '有新成员加入。'],
  ts_user_exit: ['Members left.', '有成员退出。'],
})

const ANNOUNCEMENTS = ['ts_group_create', 'ts_group_change', 'ts_user_join', 'ts_user_exit'] as const
const isAnnouncement = (type: unknown): type is (typeof ANNOUNCEMENTS)[number] =>
  ANNOUNCEMENTS.some((each) => each === type)

/** The body of a message. Announcements of the site are stored in English, and shown in the language of the page. */
function useBody() {
  const t = useWords(WORDS)
  return ({ sender_id, ext, body }: Pick<ChatMessage, 'sender_id' | 'ext' | 'body'>): string => {
    const { type } = Object(ext) as { type?: unknown }
    return sender_id === 0 && isAnnouncement(type) ? t[type] : body
  }
}

type Brief = Pick<ChatMessage, 'sender_id' | 'ext' | 'body' | 'file' | 'deleted'> &
  Partial<Pick<ChatMessage, 'body_tree'>>

export function useBrief() {
  const t = useWords(WORDS)
  const bodyOf = useBody()
  return (message: Brief): string => {
    const { body_tree, file, deleted } = message
    if (deleted) return t.deleted
    const body = bodyOf(message)
    if (body) return plainLine(body === message.body ? body_tree : undefined, body)
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
  const shown = useBody()(message)
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
        {body && <Text tree={shown === body ? message.body_tree : undefined} raw={shown} />}
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

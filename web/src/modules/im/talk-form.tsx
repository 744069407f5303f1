import type { ChatMessage } from '@kith/client'
import { Check, Image, Mic, SendHorizontal, X } from 'lucide-preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { useSite } from '../../app/site.ts'
import { useToast } from '../../app/toast.tsx'
import { acceptOf } from '../../app/uploads.ts'
import { useDraft } from '../../app/use-draft.ts'
import { useWords, words } from '../../app/words.ts'
import { DraftNotes } from '../../ui/draft-notes.tsx'
import { isByTouch, isComposing } from '../../ui/keys.ts'
import { WritingArea } from '../../ui/writing-area.tsx'
import { useBrief } from './message.tsx'
import { useRecorder } from './sound.ts'

const WORDS = words({
  write: ['Write a message', '输入消息'],
  send: ['Send', '发送'],
  save: ['Save', '保存'],
  picture: ['Send a picture', '发送图片'],
  record: ['Record a voice message', '录制语音'],
  stop: ['Send the voice message', '发送语音'],
  cancel: ['Cancel', '取消'],
  recording: [(n: number) => `Recording, ${n} s`, (n: number) => `录音中，${n} 秒`],
  noSound: ['The microphone is not available.', '无法使用麦克风。'],
  replying: ['Replying to', '回复'],
  editing: ['Editing', '编辑'],
})

const TELL_TYPING_MS = 3_000

export type Aim = { kind: 'reply' | 'edit'; message: ChatMessage } | null

export function TalkForm({
  chat,
  aim,
  onAim,
  onSend,
  onRestore,
  onEdit,
}: {
  chat: number
  aim: Aim
  onAim(aim: Aim): void
  onSend(given: { body?: string; blob?: File }): void
  /** Called with the message to which a restored draft replies. */
  onRestore(message: number): void
  onEdit(message: number, body: string): Promise<unknown>
}) {
  const t = useWords(WORDS)
  const { api, settings } = useSite()
  const { say, fail } = useToast()
  const brief = useBrief()
  const draft = useDraft(`chat/${chat}`, { text: '', reply: 0 })
  const [edited, setEdited] = useState('')
  const file = useRef<HTMLInputElement>(null)
  const area = useRef<HTMLTextAreaElement>(null)
  const toldAt = useRef(0)
  const recorder = useRecorder(
    (sound) => onSend({ blob: sound }),
    () => say(t.noSound),
  )
  const isEdit = aim?.kind === 'edit'
  // An edit leaves the draft alone, so that a half-written message is back after it.
  const text = isEdit ? edited : draft.value.text
  const setText = (next: string) => (isEdit ? setEdited(next) : draft.change({ text: next }))
  useEffect(() => {
    if (aim?.kind === 'edit') setEdited(aim.message.body)
    if (aim) area.current?.focus()
    if (aim?.kind === 'reply') draft.change({ reply: aim.message.id })
  }, [aim])
  useEffect(() => {
    if (draft.value.reply) onRestore(draft.value.reply)
  }, [draft.version])
  const leave = () => {
    if (!isEdit) draft.change({ reply: 0 })
    onAim(null)
  }
  const send = () => {
    const body = text.trim()
    if (!body) return
    if (isEdit) return void onEdit(aim.message.id, body).then(leave, fail)
    draft.clear()
    // The other side sees typing again at the next message.
    toldAt.current = 0
    onSend({ body })
  }
  return (
    <form
      class="talk-form"
      method="post"
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      {aim && (
        <p class="aim quiet">
          <span>
            {isEdit ? t.editing : t.replying}: {brief(aim.message)}
          </span>
          <button type="button" class="icon-button" aria-label={t.cancel} onClick={leave}>
            <X size={18} aria-hidden />
          </button>
        </p>
      )}
      {!isEdit && <DraftNotes draft={draft} excerpt={(value) => value.text} />}
      {recorder.seconds !== null ? (
        <>
          <span class="recording" role="status">
            {t.recording(recorder.seconds)}
          </span>
          <button type="button" class="icon-button" aria-label={t.cancel} onClick={recorder.cancel}>
            <X size={22} aria-hidden />
          </button>
          <button type="button" class="icon-button" aria-label={t.stop} onClick={recorder.stop}>
            <Check size={22} aria-hidden />
          </button>
        </>
      ) : (
        <>
          <input
            ref={file}
            type="file"
            accept={acceptOf(settings, 'picture')}
            hidden
            onChange={({ currentTarget }) => {
              const chosen = currentTarget.files?.[0]
              currentTarget.value = ''
              if (chosen) onSend({ blob: chosen })
            }}
          />
          <button
            type="button"
            class="icon-button"
            aria-label={t.picture}
            onClick={() => file.current?.click()}
          >
            <Image size={22} aria-hidden />
          </button>
          <button
            type="button"
            class="icon-button"
            aria-label={t.record}
            onClick={() => void recorder.start()}
          >
            <Mic size={22} aria-hidden />
          </button>
          <WritingArea
            area={area}
            aria-label={t.write}
            placeholder={t.write}
            rows={1}
            maxLength={5_000}
            value={text}
            onText={(next) => {
              setText(next)
              if (Date.now() - toldAt.current < TELL_TYPING_MS) return
              toldAt.current = Date.now()
              void api.chat.typing(chat).catch(() => {})
            }}
            onKeyDown={(event) => {
              if (isComposing(event)) return
              if (event.key === 'Escape' && aim) leave()
              if (event.key !== 'Enter' || event.shiftKey || isByTouch()) return
              event.preventDefault()
              send()
            }}
          />
          <button
            type="submit"
            class="icon-button"
            aria-label={isEdit ? t.save : t.send}
            disabled={text.trim() === ''}
          >
            <SendHorizontal size={22} aria-hidden />
          </button>
        </>
      )}
    </form>
  )
}

import { read, useRead, useWrite } from '../../app/api.ts'
import { useToast } from '../../app/toast.tsx'
import { useWords, words } from '../../app/words.ts'
import { useIsReady } from '../../ui/form.tsx'

const WORDS = words({
  title: ['Weekly mail', '每周邮件'],
  label: [
    'Send me a weekly mail about people, topics and groups that I follow',
    '每周通过邮件告诉我关注的用户、话题和圈子的动态',
  ],
  saved: ['Saved.', '已保存。'],
})

export const digestOf = () => read('/user/digest')

export function DigestSwitch() {
  const t = useWords(WORDS)
  const { say, fail } = useToast()
  const isReady = useIsReady()
  const { data } = useRead(digestOf())
  const save = useWrite((api, weekly: boolean) => api.patch('/user/digest', { body: { weekly } }), {
    changes: ['/user/digest'],
  })
  if (!data?.offered) return null
  return (
    <section class="fields">
      <h2>{t.title}</h2>
      <label class="check">
        <input
          type="checkbox"
          checked={save.isPending ? save.variables : data.weekly}
          disabled={save.isPending || !isReady}
          onChange={({ currentTarget: { checked } }) =>
            save.mutate(checked, { onSuccess: () => say(t.saved), onError: fail })
          }
        />
        {t.label}
      </label>
    </section>
  )
}

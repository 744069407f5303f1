import { useRef, useState } from 'preact/hooks'
import { definePage } from '../../../app/page.ts'
import { useSite } from '../../../app/site.ts'
import { useToast } from '../../../app/toast.tsx'
import { useWords, words } from '../../../app/words.ts'
import { Field, Form } from '../../../ui/form.tsx'
import { Avatar } from '../../../ui/picture.tsx'
import { Crop } from './crop.tsx'
import { SettingsFrame } from './frame.tsx'

const WORDS = words({
  title: ['Settings', '设置'],
  avatar: ['Change profile picture', '更换头像'],
  bg: ['Change cover', '更换封面'],
  name: ['Username', '用户名'],
  bio: ['About me', '个人简介'],
  place: ['Location', '所在地'],
  sex: ['Gender', '性别'],
  sex0: ['Prefer not to say', '保密'],
  sex1: ['Male', '男'],
  sex2: ['Female', '女'],
  byPhone: ['People who know my phone number can find me', '允许通过手机号找到我'],
  save: ['Save', '保存'],
  saved: ['Saved.', '已保存。'],
})

const SIZES = { avatar: [512, 512], bg: [1200, 400] } as const
type Kind = keyof typeof SIZES

export const page = definePage({
  head: ({ language }) => ({ title: WORDS[language].title, isPrivate: true }),
  body: ({ visit }) => {
    const t = useWords(WORDS)
    const { api, viewer } = useSite()
    const { say, fail } = useToast()
    const input = useRef<HTMLInputElement>(null)
    const [chosen, setChosen] = useState<{ kind: Kind; file?: File }>({ kind: 'avatar' })
    if (!viewer) return null
    const choose = (kind: Kind) => {
      setChosen({ kind })
      input.current?.click()
    }
    // Reloads the page, because the viewer's data is part of the HTML document.
    const showChanged = () => location.assign('/me')
    const [width, height] = SIZES[chosen.kind]
    return (
      <SettingsFrame path={visit.path}>
        <div class="pair">
          <Avatar person={viewer} size={96} />
          <div class="fields">
            <button type="button" class="button is-quiet" onClick={() => choose('avatar')}>
              {t.avatar}
            </button>
            <button type="button" class="button is-quiet" onClick={() => choose('bg')}>
              {t.bg}
            </button>
          </div>
        </div>
        <input
          ref={input}
          type="file"
          accept="image/*"
          hidden
          onChange={({ currentTarget }) => {
            const file = currentTarget.files?.[0]
            if (file) setChosen({ ...chosen, file })
            currentTarget.value = ''
          }}
        />
        {chosen.file && (
          <Crop
            key={chosen.kind + chosen.file.name}
            file={chosen.file}
            width={width}
            height={height}
            isRound={chosen.kind === 'avatar'}
            onCancel={() => setChosen({ kind: chosen.kind })}
            onDone={(picture) =>
              void api
                .uploadNode(picture, { name: 'picture.jpg' })
                .then((node) => api.patch('/user', { body: { [chosen.kind]: node } }))
                .then(showChanged, fail)
            }
          />
        )}
        <hr />
        <Form
          label={t.save}
          draft="profile"
          send={async ({ name, bio, location: place, sex, byPhone }) => {
            await api.patch('/user', {
              body: {
                ...(name === viewer.name ? {} : { name }),
                bio: bio || null,
                location: place || null,
                sex: Number(sex),
                found_by_phone: byPhone === 'on',
              },
            })
            say(t.saved)
            showChanged()
          }}
        >
          <Field
            label={t.name}
            name="name"
            required
            maxLength={100}
            defaultValue={viewer.name}
            autocomplete="username"
          />
          <label>
            {t.bio}
            <textarea dir="auto" name="bio" rows={3} maxLength={255} defaultValue={viewer.bio ?? ''} />
          </label>
          <Field label={t.place} name="location" maxLength={255} defaultValue={viewer.location ?? ''} />
          <label>
            {t.sex}
            <select name="sex" defaultValue={String(viewer.sex)}>
              <option value="0">{t.sex0}</option>
              <option value="1">{t.sex1}</option>
              <option value="2">{t.sex2}</option>
            </select>
          </label>
          {viewer.phone && (
            <label class="check">
              <input type="checkbox" name="byPhone" defaultChecked={viewer.found_by_phone} />
              {t.byPhone}
            </label>
          )}
        </Form>
      </SettingsFrame>
    )
  },
})

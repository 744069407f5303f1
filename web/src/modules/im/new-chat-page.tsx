import type { Schema } from '@kith/client'
import { useState } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import { definePage } from '../../app/page.ts'
import { useSite } from '../../app/site.ts'
import { useWords, words } from '../../app/words.ts'
import { Field, Form } from '../../ui/form.tsx'
import { PickPeople } from './pick-people.tsx'
import { chatsOf } from './unread.ts'

const WORDS = words({
  title: ['New group chat', '发起群聊'],
  name: ['Group name', '群名称'],
  create: ['Create', '创建'],
})

export const page = definePage({
  // Loads the conversations, so that the page returns an error on sites with an external chat provider.
  queries: () => [chatsOf()],
  head: ({ language }) => ({ title: WORDS[language].title, isPrivate: true }),
  body: () => {
    const t = useWords(WORDS)
    const { api } = useSite()
    const [, navigate] = useLocation()
    const [people, setPeople] = useState<Schema<'User'>[]>([])
    return (
      <section class="settings">
        <h1>{t.title}</h1>
        <Form
          label={t.create}
          send={async ({ name = '' }) => {
            const { im_group_id: id } = await api.post('/im/group', {
              body: {
                groupname: name.trim(),
                desc: '',
                public: false,
                members: people.map((person) => person.id),
              },
            })
            navigate(`/chats/${(await api.chat.ofGroup(Number(id))).id}`)
          }}
        >
          <Field label={t.name} name="name" maxLength={128} required />
          <PickPeople chosen={people} onChange={setPeople} />
        </Form>
      </section>
    )
  },
})

import { useState } from 'preact/hooks'
import { read, useRead, useWrite } from '../../app/api.ts'
import { definePage } from '../../app/page.ts'
import { useToast } from '../../app/toast.tsx'
import { useWords, words } from '../../app/words.ts'
import { SettingsFrame } from '../accounts/settings/frame.tsx'

const WORDS = words({
  title: ['My tags', '我的标签'],
  lead: ['Users with the same tags can find you.', '选择相同标签的用户可以找到你。'],
  none: ['This site has no tags yet.', '本站暂无标签。'],
})

const tagsOf = () => read('/tags')
const mineOf = () => read('/user/tags')

export const page = definePage({
  queries: () => [tagsOf(), mineOf()],
  head: ({ language }) => ({ title: WORDS[language].title, isPrivate: true }),
  body: ({ visit }) => {
    const t = useWords(WORDS)
    const { fail } = useToast()
    const { data: categories = [] } = useRead(tagsOf())
    const { data: mine = [] } = useRead(mineOf())
    const [chosen, setChosen] = useState(mine.map(({ id }) => id))
    const choose = useWrite<{ tag: number; isOn: boolean }>(
      (api, { tag, isOn }) =>
        (isOn ? api.put : api.delete)('/user/tags/{tag}', { params: { path: { tag } } }),
      { changes: ['/user/tags', '/user/find-by-tags'] },
    )
    const turn = (tag: number) => {
      const before = chosen
      const isOn = !chosen.includes(tag)
      setChosen(isOn ? [...chosen, tag] : chosen.filter((each) => each !== tag))
      choose.mutate(
        { tag, isOn },
        {
          onError: (error) => {
            setChosen(before)
            fail(error)
          },
        },
      )
    }
    return (
      <SettingsFrame path={visit.path}>
        <p class="quiet">{t.lead}</p>
        {categories.length === 0 && <p>{t.none}</p>}
        {categories.map(({ id, name, tags }) => (
          <fieldset key={id} class="topics">
            <legend>{name}</legend>
            {tags.map((tag) => (
              <label key={tag.id} class="check">
                <input
                  type="checkbox"
                  checked={chosen.includes(tag.id)}
                  disabled={choose.isPending}
                  onChange={() => turn(tag.id)}
                />
                {tag.name}
              </label>
            ))}
          </fieldset>
        ))}
      </SettingsFrame>
    )
  },
})

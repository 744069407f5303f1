import { useLocation } from 'wouter-preact'
import { read, useRead, useWrite } from '../../app/api.ts'
import { definePage } from '../../app/page.ts'
import { useToast } from '../../app/toast.tsx'
import { useWords, words } from '../../app/words.ts'
import { Form } from '../../ui/form.tsx'
import { GroupFields, groupOf } from './group-fields.tsx'

const WORDS = words({
  title: ['Create a group', '创建圈子'],
  category: ['Category', '分类'],
  none: ['This site has no group categories yet.', '本站暂无圈子分类。'],
  send: ['Submit for review', '提交审核'],
  made: ['Group submitted. An administrator will review it.', '圈子已提交，等待管理员审核。'],
})

const categoriesOf = () => read('/categories')
const protocolOf = () => read('/groups/protocol')

export const page = definePage({
  queries: () => [categoriesOf(), protocolOf()],
  head: ({ language }) => ({ title: WORDS[language].title, isPrivate: true }),
  body: () => {
    const t = useWords(WORDS)
    const { say } = useToast()
    const [, navigate] = useLocation()
    const { data: categories = [] } = useRead(categoriesOf())
    const { data: terms } = useRead(protocolOf())
    const make = useWrite<
      { category: number; body: ReturnType<typeof groupOf>; mark: string },
      { group: { id: number } }
    >(
      (api, { category, body, mark }) =>
        api.post('/categories/{category}/groups', {
          params: { path: { category } },
          body,
          headers: { 'idempotency-key': mark },
        } as never) as never,
      { changes: ['/groups', '/user-groups'] },
    )
    return (
      <div class="settings">
        <h1>{t.title}</h1>
        {terms?.protocol && <p class="quiet">{terms.protocol}</p>}
        {categories.length === 0 ? (
          <p>{t.none}</p>
        ) : (
          <Form
            label={t.send}
            draft="new-group"
            send={async (given, _form, mark) => {
              const { group } = await make.mutateAsync({
                category: Number(given.category),
                body: groupOf(given),
                mark,
              })
              say(t.made)
              navigate(`/groups/${group.id}`)
            }}
          >
            <label>
              {t.category}
              <select name="category">
                {categories.map(({ id, name }) => (
                  <option key={id} value={id}>
                    {name}
                  </option>
                ))}
              </select>
            </label>
            <GroupFields />
          </Form>
        )}
      </div>
    )
  },
})

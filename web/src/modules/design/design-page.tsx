import { KithError } from '@kith/client'
import { Bookmark, Heart } from 'lucide-preact'
import { useState } from 'preact/hooks'
import { definePage } from '../../app/page.ts'
import type { TextNode } from '../../app/text.ts'
import { useToast } from '../../app/toast.tsx'
import { useWords, words } from '../../app/words.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Field, Form } from '../../ui/form.tsx'
import { Mark } from '../../ui/mark.tsx'
import { Avatar } from '../../ui/picture.tsx'
import { Summary } from '../../ui/summary.tsx'
import { Text } from '../../ui/text.tsx'
import { Action } from '../../ui/toggle.tsx'

const WORDS = words({
  title: ['Design', '设计规范'],
  lead: [
    'All components of the pages. Colours, sizes and animations are variables in web/src/ui/tokens.css.',
    '页面使用的全部组件。颜色、尺寸与动效均为 web/src/ui/tokens.css 中的变量。',
  ],
  colours: ['Colours', '颜色'],
  type: ['Font sizes', '字号'],
  buttons: ['Buttons', '按钮'],
  forms: ['Forms', '表单'],
  name: ['Name', '名称'],
  save: ['Save', '保存'],
  fail: ['Example of an error message.', '错误提示示例。'],
  list: ['Lists and states', '列表与状态'],
  open: ['Open a dialog', '打开对话框'],
  text: ['Body text', '正文'],
})

const COLOURS = ['paper', 'card', 'sunken', 'ink', 'quiet', 'line', 'accent', 'accent-soft', 'like', 'danger']
const TEXT: TextNode[] = [
  { type: 'heading', level: 1, anchor: 'heading', nodes: ['标题 Heading'] },
  {
    type: 'paragraph',
    nodes: [
      'A text with ',
      { type: 'strong', nodes: ['weight'] },
      ', ',
      { type: 'code', text: 'code' },
      ' and ',
      { type: 'link', href: '/', nodes: ['a link'] },
      '.',
    ],
  },
  { type: 'quote', nodes: [{ type: 'paragraph', nodes: ['引用 A quotation'] }] },
  { type: 'list', items: [['one'], ['two']] },
]

export const page = definePage({
  head: ({ language }) => ({ title: WORDS[language].title, isPrivate: true }),
  body: () => {
    const t = useWords(WORDS)
    const { say } = useToast()
    const [isOn, setIsOn] = useState(true)
    const [isOpen, setIsOpen] = useState(false)
    return (
      <div class="settings">
        <h1>
          <Mark /> {t.title}
        </h1>
        <p class="quiet">{t.lead}</p>
        <h2>{t.colours}</h2>
        <ul class="swatches">
          {COLOURS.map((name) => (
            <li key={name}>
              <span class={`swatch is-${name}`} />
              {name}
            </li>
          ))}
        </ul>
        <h2>{t.type}</h2>
        <p class="is-title">永 Aa 1.625</p>
        <p class="is-large">永 Aa 1.25</p>
        <p>永 Aa 1.0625</p>
        <p class="quiet">永 Aa 0.9375</p>
        <h2>{t.buttons}</h2>
        <p class="pair">
          <button type="button" class="button" onClick={() => setIsOpen(true)}>
            {t.open}
          </button>
          <button type="button" class="button is-quiet" onClick={() => say(t.save)}>
            {t.save}
          </button>
          <button type="button" class="button is-danger">
            {t.save}
          </button>
          <button type="button" class="button" disabled>
            {t.save}
          </button>
        </p>
        <p class="actions">
          <Action icon={Heart} kind="like" label="♥" count={3} isOn={isOn} onClick={() => setIsOn(!isOn)} />
          <Action icon={Bookmark} kind="collect" label="⚑" isOn={isOn} onClick={() => setIsOn(!isOn)} />
        </p>
        <p class="pair">
          {([28, 44, 96] as const).map((size, n) => (
            <Avatar key={size} person={{ id: n, name: '林', avatar: null }} size={size} />
          ))}
        </p>
        <h2>{t.forms}</h2>
        <Form label={t.save} send={() => Promise.reject(new KithError(422, 'example', t.fail))}>
          <Field label={t.name} name="name" />
        </Form>
        <p class="failure">{t.fail}</p>
        <h2>{t.list}</h2>
        <Summary href="/design" title={t.title} text={t.lead}>
          12 · 3
        </Summary>
        <h2>{t.text}</h2>
        <Text tree={TEXT} />
        {isOpen && (
          <Dialog title={t.open} onClose={() => setIsOpen(false)}>
            <p>{t.lead}</p>
          </Dialog>
        )}
      </div>
    )
  },
})

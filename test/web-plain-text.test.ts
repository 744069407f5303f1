import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { parseText } from '#lib/markup/parse.ts'
import { type TextTree, textOf } from '#lib/markup/tree.ts'
import { packageFolder } from '#platform/http'
import { HOSTILE_TEXTS } from '#test/fixtures/hostile-texts.ts'

type SiteText = { plainText(tree: TextTree, text: string): string }
// A variable, because the site is a package with its own compiler options.
const file = join(packageFolder('web'), 'src/app/text.ts')
const { plainText } = (await import(file)) as SiteText

const EVERY_NODE = `# A *b* **c** ~~d~~ \`e\` [f](/x) \u00ad@g\u00ad ![h](https://e.org/i) @![j](1)<br>k

> l
> - m

3. n
4. o

---

| p | q |
|---|:-:|
| r | s |

\`\`\`
t
\`\`\``

test('reads the same plain text of a tree on the server and in the site', () => {
  for (const text of [EVERY_NODE, ...HOSTILE_TEXTS])
    for (const format of ['plain', 'markdown'] as const) {
      const tree = parseText(text, format)
      assert.equal(plainText(tree, ''), textOf(tree), text)
    }
  const tree: TextTree = [
    { type: 'mention', user: 1, name: 'a' },
    ' ',
    { type: 'topic', topic: 1, name: 'b' },
  ]
  assert.equal(plainText(tree, ''), textOf(tree))
  assert.match(
    textOf(parseText(EVERY_NODE, 'markdown')),
    /^A b c d e f @g[\s\S]*\n3\. n\n+4\. o\n[\s\S]*\nt$/,
  )
})

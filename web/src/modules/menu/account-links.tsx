import { read, useRead } from '../../app/api.ts'
import { useWords, words } from '../../app/words.ts'

const WORDS = words({ console: ['Console', '管理后台'] })

export const abilitiesOf = () => read('/user/abilities')

/** Appears only for users who may enter the console. */
export function ConsoleLink() {
  const t = useWords(WORDS)
  const { data: abilities = [] } = useRead(abilitiesOf())
  return abilities.some(({ name }) => name === 'admin: login') ? <a href="/admin">{t.console}</a> : null
}

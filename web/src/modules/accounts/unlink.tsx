import { useWords, words } from '../../app/words.ts'

const WORDS = words({
  unlink: [
    'Also unlink my linked accounts, which can sign in without the password',
    '同时解绑第三方账号（第三方账号无需密码即可登录）',
  ],
})

export function Unlink() {
  const t = useWords(WORDS)
  return (
    <label class="check">
      <input type="checkbox" name="unlink" />
      {t.unlink}
    </label>
  )
}

export const unlinkIn = ({ unlink }: Record<string, string>) => (unlink ? { unlink_accounts: true } : {})

import { useWords, words } from '../../app/words.ts'

const WORDS = words({
  unlink: [
    'End the links with my accounts elsewhere too. They sign in without the password.',
    '同时解除第三方账号的绑定（第三方账号无需密码即可登录）',
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

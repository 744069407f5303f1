import { ChevronsUpDown } from 'lucide-preact'
import { useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import { useViewer } from '../../app/site.ts'
import { useWords, words } from '../../app/words.ts'
import { Menu } from '../../ui/menu.tsx'
import { Avatar } from '../../ui/picture.tsx'
import { SignOut } from '../accounts/sign-out.tsx'
import { ConsoleLink } from './account-links.tsx'

const WORDS = words({
  account: ['Account: ', '账号：'],
  profile: ['Profile', '个人主页'],
  settings: ['Settings', '设置'],
})

/** The menu at the end of the column of wide screens. */
export function AccountMenu() {
  const t = useWords(WORDS)
  const viewer = useViewer()
  const [isSeen, setIsSeen] = useState(false)
  if (!viewer) return null
  return (
    <div class="account">
      <Menu
        class="account-button"
        isFixed
        onOpen={() => setIsSeen(true)}
        button={
          <>
            <Avatar person={viewer} size={28} />
            <span class="sr-only">{t.account}</span>
            <span class="name" dir="auto">
              {viewer.name}
            </span>
            <ChevronsUpDown size={16} aria-hidden />
          </>
        }
      >
        <Link href="/me">{t.profile}</Link>
        <Link href="/settings">{t.settings}</Link>
        {isSeen && <ConsoleLink />}
        <SignOut />
      </Menu>
    </div>
  )
}

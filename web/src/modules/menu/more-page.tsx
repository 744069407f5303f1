import { ChevronRight } from 'lucide-preact'
import { Link } from 'wouter-preact'
import { isInBar, menuOf } from '../../app/menu.ts'
import { definePage } from '../../app/page.ts'
import { Preferences } from '../../app/preferences.tsx'
import { useSite } from '../../app/site.ts'
import { useWords, words } from '../../app/words.ts'
import { SignOut } from '../accounts/sign-out.tsx'
import { abilitiesOf, ConsoleLink } from './account-links.tsx'

const WORDS = words({
  title: ['Menu', '菜单'],
  about: ['About', '关于'],
  api: ['API', 'API'],
})

export const page = definePage({
  extras: ({ viewer }) => (viewer ? [abilitiesOf()] : []),
  head: ({ language }) => ({ title: WORDS[language].title, isPrivate: true }),
  body: () => {
    const t = useWords(WORDS)
    const { viewer, language, settings } = useSite()
    const isMember = viewer !== null
    const footPages = settings.pages.filter((page) => page.in_footer)
    return (
      <>
        <header class="page-head">
          <h1>{t.title}</h1>
        </header>
        <ul class="rows is-padded">
          {menuOf(isMember)
            .filter((entry) => !isInBar(entry, isMember))
            .map(({ path, label, icon: Picture }) => (
              <li key={path}>
                <Link href={path} class="row-link">
                  <Picture size={22} aria-hidden />
                  <span>{label[language]}</span>
                  <ChevronRight size={18} aria-hidden />
                </Link>
              </li>
            ))}
        </ul>
        <div class="more-foot">
          <Preferences />
          {footPages.length === 0 && <a href="/api/v2/aboutus">{t.about}</a>}
          {footPages.map(({ slug, title }) => (
            <Link key={slug} href={`/pages/${slug}`}>
              {title}
            </Link>
          ))}
          <a href="/docs">{t.api}</a>
          {isMember && (
            <>
              <ConsoleLink />
              <SignOut class="text-button" />
            </>
          )}
        </div>
      </>
    )
  },
})

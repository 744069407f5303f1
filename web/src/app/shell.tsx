import { MODULES } from 'virtual:modules'
import { LogIn } from 'lucide-preact'
import type { ComponentChildren } from 'preact'
import { Link } from 'wouter-preact'
import { Mark } from '../ui/mark.tsx'
import { ConnectionBanner } from './connection-banner.tsx'
import { isInBar, menuOf } from './menu.ts'
import type { MenuEntry } from './page.ts'
import { Preferences } from './preferences.tsx'
import { useSite } from './site.ts'
import { useWords, words } from './words.ts'

const WORDS = words({
  skip: ['Skip to content', '跳到正文'],
  menu: ['Main menu', '主菜单'],
  signIn: ['Sign in', '登录'],
  join: ['Sign up', '注册'],
  about: ['About', '关于'],
  powered: ['Powered by Kith', '由 Kith 驱动'],
  pitch: ['Keep up with friends and meet new people', '关注好友，结识新朋友'],
  pitchText: [
    'Follow people, ask questions and share what you see. This site runs on its own server and does not share your data with advertisers.',
    '关注用户，提问交流，分享见闻。本站运行在自己的服务器上，不会把你的数据提供给广告公司。',
  ],
})

const ACCOUNTS = MODULES.flatMap(({ Account }) => (Account ? [Account] : []))
const BARS = MODULES.flatMap(({ Bar }) => (Bar ? [Bar] : []))

/** Names above this length are smaller in the side bar, so that their words fit into a line. */
const LONG_NAME = 16

export function Shell({ path, children }: { path: string; children: ComponentChildren }) {
  const t = useWords(WORDS)
  const { origin, viewer, settings } = useSite()
  const { name, logo, logo_has_name: hasName, welcome, powered_by: isPoweredBy } = settings.identity
  const footPages = settings.pages.filter((page) => page.in_footer)
  return (
    <>
      <a class="skip" href="#main">
        {t.skip}
      </a>
      <header class="top">
        <div class="top-inner">
          <Link class={name.length > LONG_NAME ? 'brand is-long' : 'brand'} href="/">
            {logo ? <img class="logo" src={logo} alt={hasName ? name : ''} height={32} /> : <Mark />}
            {!(logo && hasName) && <span>{name}</span>}
          </Link>
          <nav class="menu" aria-label={t.menu}>
            <ul>
              {menuOf(viewer !== null).map((entry) => (
                <Entry key={entry.path} entry={entry} path={path} />
              ))}
            </ul>
          </nav>
          {!viewer && (
            <div class="top-actions">
              <Link class="button is-quiet" href="/sign-in">
                <LogIn size={18} aria-hidden />
                {t.signIn}
              </Link>
              <Link class="button" href="/join">
                {t.join}
              </Link>
            </div>
          )}
          <div class="foot">
            {ACCOUNTS.map((Account, n) => (
              <Account key={n} />
            ))}
            <Preferences />
            <p>
              {footPages.length === 0 && <a href="/api/v2/aboutus">{t.about}</a>}
              {footPages.map(({ slug, title }) => (
                <Link key={slug} href={`/pages/${slug}`}>
                  {title}
                </Link>
              ))}
              <a href="/docs">API</a>
            </p>
            {isPoweredBy && (
              <p>
                {t.powered} {settings['server:version']}
              </p>
            )}
          </div>
        </div>
      </header>
      <main id="main" tabIndex={-1} data-address={origin + path}>
        <ConnectionBanner />
        {children}
      </main>
      {BARS.map((Bar, n) => (
        <Bar key={n} />
      ))}
      <aside class="aside">
        {!viewer && (
          <section class="card pitch">
            <h2>{t.pitch}</h2>
            <p>{welcome ?? t.pitchText}</p>
            <Link class="button is-wide" href="/join">
              {t.join}
            </Link>
          </section>
        )}
      </aside>
    </>
  )
}

const noCount = () => 0

function Entry({ entry, path }: { entry: MenuEntry; path: string }) {
  const { language, viewer } = useSite()
  const { icon: Picture, useCount = noCount } = entry
  const count = useCount()
  if (count === null) return null
  const isHere = entry.path === '/' ? path === '/' : path.startsWith(entry.path)
  const kind = isInBar(entry, viewer !== null) ? '' : 'is-minor'
  return (
    <li class={entry.isOnTelephones ? 'is-for-telephones' : kind}>
      <Link
        class={isHere ? 'menu-entry is-here' : 'menu-entry'}
        href={entry.path}
        aria-current={isHere ? 'page' : undefined}
      >
        <span class="menu-icon">
          <Picture size={24} aria-hidden />
          {count > 0 && (
            <span class="badge" aria-hidden="true">
              {count > 99 ? '99+' : count}
            </span>
          )}
        </span>
        <span class="menu-label">
          {entry.label[language]}
          {count > 0 && <span class="sr-only"> {count}</span>}
        </span>
      </Link>
    </li>
  )
}

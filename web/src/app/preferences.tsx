import { Languages, Monitor, Moon, Sun } from 'lucide-preact'
import { useState } from 'preact/hooks'
import { type Theme, useSite } from './site.ts'
import { useWords, words } from './words.ts'

const WORDS = words({
  other: ['中文', 'English'],
  language: ['Language', '语言'],
  auto: ['Theme: same as the device', '主题：跟随系统'],
  light: ['Theme: light', '主题：浅色'],
  dark: ['Theme: dark', '主题：深色'],
})

const THEMES = { auto: Monitor, light: Sun, dark: Moon }
const YEAR = 31_536_000

/** Stores a preference in a cookie, because the server needs it to render. */
function keep(name: string, value: string) {
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing in Firefox and Safari
  document.cookie = `${name}=${value}; Path=/; Max-Age=${YEAR}; SameSite=Lax`
}

export function Preferences() {
  const t = useWords(WORDS)
  const { language, theme: given } = useSite()
  const [theme, setTheme] = useState<Theme>(given)
  const Picture = THEMES[theme]
  const turn = () => {
    const next = ({ auto: 'light', light: 'dark', dark: 'auto' } as const)[theme]
    keep('kith_theme', next)
    document.documentElement.dataset.theme = next
    setTheme(next)
  }
  const other = language === 'en' ? 'zh' : 'en'
  const speak = (event: Event) => {
    event.preventDefault()
    keep('kith_language', other)
    const url = new URL(location.href)
    if (!url.searchParams.has('lang')) return location.reload()
    // The address names a language, which precedes the cookie.
    url.searchParams.delete('lang')
    location.replace(url)
  }
  return (
    <div class="preferences">
      <button type="button" class="icon-button" onClick={turn} aria-label={t[theme]} title={t[theme]}>
        <Picture size={18} aria-hidden />
      </button>
      {/* A link, because it also works without scripts. */}
      <a
        class="text-button"
        href={`?lang=${other}`}
        onClick={speak}
        lang={other}
        aria-label={`${t.language}: ${t.other}`}
      >
        <Languages size={18} aria-hidden />
        {t.other}
      </a>
    </div>
  )
}

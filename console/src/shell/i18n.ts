import polyglotI18nProvider from 'ra-i18n-polyglot'
import english from 'ra-language-english'
import { CHINESE } from './chinese.ts'
import { currentLocale, keepLocale } from './text.ts'

const own = {
  en: { kith: { not_an_administrator: 'This account has no access to the console.' } },
  zh: { kith: { not_an_administrator: '此账号无权进入管理后台。' } },
}

const messages = {
  en: {
    ...english,
    ...own.en,
    ra: {
      ...english.ra,
      auth: { ...english.ra.auth, username: 'Name, e-mail or phone', logout: 'Sign out' },
    },
  },
  zh: { ...CHINESE, ...own.zh },
}

export const i18nProvider = polyglotI18nProvider(
  (locale) => {
    keepLocale(locale)
    return messages[locale === 'zh' ? 'zh' : 'en'] as never
  },
  currentLocale(),
  [
    { locale: 'en', name: 'English' },
    { locale: 'zh', name: '中文' },
  ],
  { allowMissing: true },
)

import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type DefaultTheme, defineConfig } from 'vitepress'
import { thirdParties } from '../../scripts/third-parties.ts'

const inSite = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url))

const page = (text: string, link: string) => ({ text, link: `/${link}` })

const rules = [
  ['Conventions', 'conventions'],
  ['Registration', 'registration'],
  ['Sign-in', 'sign-in'],
  ['Feeds', 'feeds'],
  ['Topics', 'topics'],
  ['Groups', 'groups'],
  ['Questions', 'questions'],
  ['News', 'news'],
  ['Music', 'music'],
  ['Files', 'files'],
  ['Money', 'money'],
  ['Pins', 'pins'],
  ['Nearby', 'nearby'],
  ['Notifications', 'notifications'],
  ['Chat', 'im'],
  ['Search', 'search'],
  ['Rights', 'rights'],
  ['Relations', 'relations'],
  ['Administration', 'administration'],
] as const

const decisions = [
  ['Plain SQL', '0001-raw-sql'],
  ['Dependencies', '0002-dependencies'],
  ['Signals by PostgreSQL', '0003-signals-by-postgresql'],
  ['Cleaned input', '0004-cleaned-input'],
  ['Pictures beside their owner', '0005-pictures-beside-their-owner'],
  ['Double-entry ledger', '0006-double-entry-ledger'],
  ['Idempotency in the transaction', '0007-idempotency-in-the-transaction'],
  ['The console', '0008-console'],
  ['Cached pages by table generations', '0009-kept-pages-by-table-generations'],
  ['Libraries measured', '0010-libraries-measured'],
  ['Versioned fragments', '0011-versioned-fragments'],
  ['One driver', '0012-one-driver'],
  ['Libraries for plumbing', '0013-libraries-for-plumbing'],
  ['Chat on the event stream', '0014-chat'],
  ['One address of the database', '0015-one-address'],
  ['The site', '0016-web'],
  ['Parts of the platform that stay', '0017-kept-in-the-platform'],
  ["One engine for members' texts", '0018-one-engine-for-texts'],
  ['A parameter of the URL names the language', '0019-language-in-a-parameter'],
  ['Triggers', '0020-triggers'],
  ['Restoring a backup in the console', '0021-restore-in-the-console'],
  ['No record of columns', '0022-no-record-per-noun'],
  ['All migrations at 1.0', '0023-migrations-at-1-0'],
  ['Views in tables of their own', '0024-views'],
  ['Few writes of a transaction', '0025-writes-of-a-transaction'],
  ['Measurements of the load', '0026-measurements'],
] as const

const sidebar: DefaultTheme.Sidebar = [
  {
    text: 'Tutorial',
    items: [
      page('The first hour', 'first-hour'),
      page('Demo', 'demo'),
      page('Build a client in 30 minutes', 'guides/client'),
    ],
  },
  {
    text: 'How-to',
    items: [
      page('Put Kith behind Caddy', 'guides/caddy'),
      page('Write a bot with webhooks', 'guides/bot'),
      page('Upgrade', 'guides/upgrade'),
      page('Move from ThinkSNS+', 'migrate-from-thinksns'),
      page('Import music and news', 'import'),
      page('Run Kith', 'running'),
      page('Hardware by members', 'hardware'),
      page('Operate Kith', 'operating'),
      page('Troubleshooting', 'troubleshooting'),
      page('Disaster recovery', 'disaster-recovery'),
      page('Moderation handbook', 'moderation'),
      page('Name and look of a site', 'branding'),
      page('Take payments', 'payments'),
      page('Send text messages', 'sms'),
      page('Scale Kith', 'scaling'),
    ],
  },
  {
    text: 'Reference',
    items: [
      page('Settings', 'settings'),
      page('The site', 'site'),
      page('The console', 'console'),
      page('Notifications and webhooks', 'notifications'),
      page('Push messages', 'push'),
      page('Chat providers', 'im'),
      page('E-mails', 'mails'),
      page('Lists', 'lists'),
      page('Deprecated paths', 'deprecated-paths'),
      page('Glossary', 'glossary'),
      {
        text: 'Rules of the API',
        link: '/rules/README',
        collapsed: true,
        items: rules.map(([text, name]) => page(text, `rules/${name}`)),
      },
    ],
  },
  {
    text: 'Explanation',
    items: [
      page('Security', 'security'),
      page('Personal data', 'personal-data'),
      page('The ledger', 'ledger'),
    ],
  },
  {
    text: 'Engineering',
    collapsed: true,
    items: [
      page('Performance', 'performance'),
      page('Reliability', 'reliability'),
      page('Testing', 'testing'),
      {
        text: 'Decisions',
        collapsed: true,
        items: decisions.map(([text, name]) => page(text, `decisions/${name}`)),
      },
    ],
  },
]

const chinese: DefaultTheme.Sidebar = [
  {
    text: '运营者指南',
    items: [
      page('安装与启动', 'zh/start'),
      page('日常管理', 'zh/operate'),
      page('备份与升级', 'zh/upgrade'),
      page('从 ThinkSNS+ 迁移', 'zh/migrate'),
    ],
  },
]

export default defineConfig({
  srcDir: '../docs',
  // One page at a time, because the index of the search has the pages in the order in which they were read.
  buildConcurrency: 1,
  outDir: inSite('dist'),
  title: 'Kith',
  description: 'A complete, self-hosted social network server',
  cleanUrls: true,
  locales: {
    root: { label: 'English', lang: 'en', themeConfig: { sidebar } },
    zh: { label: '简体中文', lang: 'zh-CN', link: '/zh/', themeConfig: { sidebar: chinese } },
  },
  // The guides in Chinese have pages of their own, so that the choice of a language leads to its first page.
  themeConfig: { i18nRouting: false, search: { provider: 'local' } },
  markdown: {
    // Replaces links to repository files that the site does not contain, such as source files, with plain text.
    config(md) {
      const open = md.renderer.rules.link_open!
      const close = md.renderer.rules.link_close
      let isOutside = false
      md.renderer.rules.link_open = (tokens, place, options, env, self) => {
        const target = String(tokens[place]!.attrGet('href') ?? '')
        const path = posix.join(posix.dirname(env.relativePath ?? ''), target)
        isOutside = !/^(\w+:|#|\/)/.test(target) && (path.startsWith('../') || !/(\.md|\/)(#|$)/.test(path))
        return isOutside
          ? `<span title="${path.replace(/^\.\.\//, '')} in the repository">`
          : open(tokens, place, options, env, self)
      }
      md.renderer.rules.link_close = (tokens, place, options, env, self) => {
        if (isOutside) {
          isOutside = false
          return '</span>'
        }
        return close?.(tokens, place, options, env, self) ?? '</a>'
      }
    },
  },
  // Resolves the pages' Vue imports from this package, because the pages are outside the package.
  vite: {
    plugins: [thirdParties()],
    resolve: {
      alias: [
        { find: /^vue$/, replacement: inSite('node_modules/vue/dist/vue.runtime.esm-bundler.js') },
        { find: /^vue\/server-renderer$/, replacement: inSite('node_modules/vue/server-renderer/index.mjs') },
      ],
    },
    publicDir: false,
  },
})

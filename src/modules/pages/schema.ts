import { apiError } from '#platform/errors.ts'
import {
  Flag,
  Id,
  Int,
  listingQuery,
  MemberText,
  Nullable,
  OneOf,
  Shared,
  type Static,
  Text,
  Time,
  Type,
} from '#platform/http'

export const PAGE_ABILITY = 'admin:site:base'
/** Use of files in the texts of pages. */
export const PAGE_FILE = 'pages:body'
/** Every page of the site links the published pages, so their number is bounded. */
export const PAGES_MOST = 50

const SLUG = '^[a-z0-9]+(-[a-z0-9]+)*$'

const Slug = Text(40, {
  pattern: SLUG,
  description: 'Last part of the address: `terms` is at `/pages/terms`',
})
const Body = (description: string) => Nullable(Text(100_000, { description }))

export const PageParams = Type.Object({ slug: Text(40) })

export const SitePage = Shared('SitePage', {
  slug: Type.String(),
  title: Type.String(),
  in_footer: Type.Boolean(),
  at_sign_up: Type.Boolean({ description: 'True when new users agree to the page' }),
  version: Type.Integer({ description: 'Id of the version in force, for `agreed` of a registration' }),
})

export const SitePageDetail = Shared('SitePageDetail', {
  ...SitePage.properties,
  ...MemberText('body', { of: 'site-pages', format: 'markdown' }, Type.String()),
  id: Type.Integer(),
  language: OneOf(['en', 'zh']),
  updated_at: Time,
})

export const AdminPage = Shared('AdminPage', {
  id: Type.Integer(),
  slug: Type.String(),
  is_published: Type.Boolean(),
  in_footer: Type.Boolean(),
  at_sign_up: Type.Boolean(),
  place: Type.Integer(),
  title_en: Nullable(Type.String()),
  title_zh: Nullable(Type.String()),
  body_en: Type.Optional(Nullable(Type.String({ description: 'Absent in the list' }))),
  body_zh: Type.Optional(Nullable(Type.String({ description: 'Absent in the list' }))),
  versions: Type.Integer({ description: 'Number of versions in both languages' }),
  consents: Type.Integer({
    description: 'Number of users who agreed to the page at their sign-up, counted up to 10,000',
  }),
  updated_at: Nullable(Time),
})

export const NewAdminPage = Shared('NewAdminPage', {
  slug: Slug,
  is_published: Type.Optional(Flag()),
  in_footer: Type.Optional(Flag()),
  at_sign_up: Type.Optional(Flag()),
  place: Type.Optional(Int(0, 10_000)),
  title_en: Type.Optional(Nullable(Text(100))),
  body_en: Type.Optional(Body('Markdown in English')),
  title_zh: Type.Optional(Nullable(Text(100))),
  body_zh: Type.Optional(Body('Markdown in Chinese')),
})
export type NewAdminPage = Static<typeof NewAdminPage>

export const PageVersion = Shared('PageVersion', {
  id: Type.Integer(),
  page_id: Type.Integer(),
  slug: Type.String(),
  language: OneOf(['en', 'zh']),
  title: Type.String(),
  ...MemberText(
    'body',
    { of: 'site-pages', format: 'markdown' },
    Type.Optional(Type.String({ description: 'Absent in the list' })),
  ),
  edited_by: Nullable(Type.Integer()),
  created_at: Time,
})

const { q: _, ...paging } = listingQuery(['id'])

export const PageVersionQuery = Type.Object({ ...paging, page_id: Type.Optional(Id) })
export type PageVersionQuery = Static<typeof PageVersionQuery>

export const slugTaken = apiError(422, 'slug_taken', 'Another page has this address.', '已有页面使用该地址。')
export const noSuchPage = apiError(404, 'no_such_page', 'This page does not exist.', '页面不存在。')
export const noTitle = apiError(
  422,
  'no_title',
  'A text needs a title in the same language.',
  '正文需要填写同一语言的标题。',
)
export const nothingToPublish = apiError(
  422,
  'nothing_to_publish',
  'Write the text in at least one language before you publish the page.',
  '请先填写至少一种语言的正文，再发布页面。',
)
export const tooManyPages = apiError(
  422,
  'too_many_pages',
  `A site has at most ${PAGES_MOST} pages.`,
  `最多可创建 ${PAGES_MOST} 个页面。`,
)
export const noTemplate = apiError(
  422,
  'no_template',
  'There is no template for this page.',
  '该页面没有模板。',
)

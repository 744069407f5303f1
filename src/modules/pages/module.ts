import { personalTable } from '#contracts/personal-data.ts'
import { mountAdminRecords, recordAudit } from '#modules/audit/index.ts'
import type { Context } from '#platform/context.ts'
import { transaction } from '#platform/database'
import { Empty, Id, Listing, language, routesOn, type Server, Type } from '#platform/http'
import type { Module } from '../../module.ts'
import {
  AdminPage,
  NewAdminPage,
  noSuchPage,
  noTemplate,
  noTitle,
  nothingToPublish,
  PAGE_ABILITY,
  PAGE_FILE,
  PageParams,
  PageVersion,
  PageVersionQuery,
  SitePage,
  SitePageDetail,
  slugTaken,
  tooManyPages,
} from './schema.ts'
import {
  changePage,
  createPage,
  eraseConsents,
  fillFromTemplate,
  findPage,
  findVersion,
  listPages,
  listVersions,
  mayReadPageFile,
  pageSummary,
  pageView,
  readSitePages,
  removePage,
  restoreVersion,
  versionView,
} from './service.ts'

export function adminPageRoutes(server: Server, ctx: Context) {
  const route = routesOn(server, ctx, { tag: 'Admin: site' })
  const records = mountAdminRecords(server, ctx, {
    path: '/admin/pages',
    tag: 'Admin: site',
    ability: PAGE_ABILITY,
    subject: 'pages',
    entity: 'Page',
    noun: 'a page of the site',
    nouns: 'pages of the site',
    item: AdminPage,
    query: Type.Object({}),
    body: NewAdminPage,
    missing: noSuchPage,
    errors: [slugTaken, noTitle, nothingToPublish, tooManyPages],
    list: listPages,
    find: findPage,
    view: async (rows) => rows.map(pageView),
    create: (tx, userId, body) => createPage(ctx, tx, userId, body),
    change: (tx, userId, row, body) => changePage(ctx, tx, userId, row, body),
    remove: (tx, row) => removePage(ctx, tx, row),
    summary: pageSummary,
  })

  route('PUT /admin/pages/:id/template', {
    operationId: 'adminFillPage',
    summary: 'Add versions of a page with its template in both languages',
    access: { ability: PAGE_ABILITY },
    params: Type.Object({ id: Id }),
    reply: { 204: Empty },
    errors: [noSuchPage, noTemplate],
    handler: (call) =>
      records.change(call, call.params.id, 'template', (tx, row) =>
        fillFromTemplate(ctx, tx, call.viewer.id, row),
      ),
  })

  route('GET /admin/page-versions', {
    operationId: 'adminListPageVersions',
    summary: 'List versions of pages, newest first',
    access: { ability: PAGE_ABILITY },
    query: PageVersionQuery,
    reply: { 200: Listing(PageVersion) },
    handler: async ({ query }) => {
      const { data, total } = await listVersions(ctx.sql, query)
      return { data: data.map(versionView), total }
    },
  })

  route('GET /admin/page-versions/:id', {
    operationId: 'adminGetPageVersion',
    summary: 'Read a version of a page',
    access: { ability: PAGE_ABILITY },
    params: Type.Object({ id: Id }),
    reply: { 200: PageVersion },
    errors: [noSuchPage],
    handler: async ({ params }) => {
      const version = await findVersion(ctx.sql, params.id)
      if (!version) throw noSuchPage()
      return versionView(version)
    },
  })

  route('PUT /admin/page-versions/:id', {
    operationId: 'adminRestorePageVersion',
    summary: 'Repeat an earlier version of a page as the newest',
    access: { ability: PAGE_ABILITY },
    params: Type.Object({ id: Id }),
    reply: { 204: Empty },
    errors: [noSuchPage, nothingToPublish],
    handler: (call) =>
      transaction(ctx.sql, async (tx) => {
        const version = await findVersion(tx, call.params.id)
        if (!version) throw noSuchPage()
        await restoreVersion(ctx, tx, call.viewer.id, version)
        await recordAudit(tx, call, {
          action: 'pages.restore',
          subjectType: 'pages',
          subjectId: version.page_id,
          after: { version: version.id, language: version.language },
        })
      }),
  })
}

export function pageRoutes(server: Server, ctx: Context) {
  const route = routesOn(server, ctx, { tag: 'Site' })

  route('GET /pages', {
    operationId: 'listPages',
    summary: 'List the pages of the site, such as terms and privacy',
    access: 'public',
    reply: { 200: Type.Array(SitePage) },
    handler: async ({ uncached }) =>
      (await readSitePages(ctx))[language(uncached().request)].map(
        ({ slug, title, in_footer, at_sign_up, version }) => ({
          slug,
          title,
          in_footer,
          at_sign_up,
          version,
        }),
      ),
  })

  route('GET /pages/:slug', {
    operationId: 'getPage',
    summary: 'Read a page of the site',
    access: 'public',
    params: PageParams,
    reply: { 200: SitePageDetail },
    errors: [noSuchPage],
    handler: async ({ params, uncached }) => {
      const pages = (await readSitePages(ctx))[language(uncached().request)]
      const page = pages.find(({ slug }) => slug === params.slug)
      if (!page) throw noSuchPage()
      return page
    },
  })
}

const consentTable = personalTable({
  file: 'consents',
  about: { en: 'Pages of the site that you agreed to', zh: '您同意过的条款' },
  table: 'consents',
  with: ['site_page_versions', 'site_pages'],
  key: ['version_id'],
  columns: ['version_id', 'agreed_at'],
  extra: (sql) => sql`, (
      select json_build_object('page', p.slug, 'language', v.language, 'title', v.title, 'text', v.body)
      from site_page_versions v join site_pages p on p.id = v.page_id where v.id = t.version_id
    ) as version`,
})

export const module: Module = {
  routes: () => [pageRoutes, adminPageRoutes],
  personalData: { place: 2, tables: [consentTable] },
  erase: eraseConsents,
  confidentialFiles: {
    [PAGE_FILE]: (ctx, { raw }, viewerId) => mayReadPageFile(ctx, raw ?? 0, viewerId),
  },
  offers: { readSitePages },
}

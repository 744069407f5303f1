import { isEmail } from '#lib/identifiers.ts'
import { recordAudit } from '#modules/audit/index.ts'
import type { Context } from '#platform/context.ts'
import { transaction } from '#platform/database'
import { ApiError, apiError, invalidField, type Text as LocalText, notFound } from '#platform/errors.ts'
import { explainFault } from '#platform/health'
import {
  Empty,
  language,
  Nullable,
  OneOf,
  ownAttemptCounter,
  routesOn,
  type Server,
  Shared,
  type Static,
  Text,
  Type,
} from '#platform/http'
import { MAIL_NAMES, type MailName, mailDefinition } from './catalogue.ts'
import { MailError, mailHtml, mailSender } from './mail.ts'
import { mailSite } from './messages.ts'
import {
  checkMailTexts,
  lockMailTexts,
  type MailTexts,
  type MailValues,
  readMailTexts,
  renderMail,
  resetMailTexts,
  saveMailTexts,
} from './texts.ts'

const ABILITY = { ability: 'admin:site:base' }

const Languages = OneOf(['both', 'en', 'zh'] as const)
const Subject = Nullable(Text(200))
const Body = Nullable(Text(10_000))
const texts = { subject_en: Subject, text_en: Body, subject_zh: Subject, text_zh: Body }

const AdminMail = Shared('AdminMail', {
  mail: Type.String({ description: 'Name of the mail' }),
  about: Type.String({ description: 'The occasion, in the language of the request' }),
  languages: Languages,
  in_language_of_reader: Type.Boolean({
    description: 'True when a mail in both languages is sent in the one of the reader',
  }),
  is_changed: Type.Boolean(),
  ...texts,
  original: Shared('MailTexts', {
    subject_en: Type.String(),
    text_en: Type.String(),
    subject_zh: Type.String(),
    text_zh: Type.String(),
  }),
  placeholders: Type.Array(
    Shared('MailPlaceholder', {
      name: Type.String(),
      about: Type.String(),
      example: Type.String(),
      needed: Type.Boolean({ description: 'True when the text must contain the placeholder' }),
    }),
  ),
})

const MailChanges = Type.Object(
  { languages: Type.Optional(Languages), ...Type.Partial(Type.Object(texts)).properties },
  { title: 'MailChanges' },
)

const MailPreview = Shared('MailPreview', {
  subject: Type.String(),
  text: Type.String(),
  html: Type.String(),
})

const TestBody = Type.Object(
  {
    ...MailChanges.properties,
    to: Type.Optional(Text(128, { description: 'Recipient. Default: my own address' })),
  },
  { title: 'MailTest' },
)

const MailParams = Type.Object({ mail: Text(50) })

const noAddress = apiError(
  422,
  'no_email',
  'Add an e-mail address to your account, so that you can receive the test.',
  '请先为您的账号绑定邮箱，才能接收测试邮件。',
)
const mailOff = apiError(
  422,
  'mail_off',
  'No mail server is configured. Set SMTP_URL in the environment of the server, then restart it.',
  '尚未配置邮件服务器。请设置服务器环境变量 SMTP_URL，然后重启。',
)
const NO_EMAIL = { en: 'This is not an e-mail address.', zh: '邮箱格式不正确。' }
const mailFailed = apiError(
  502,
  'mail_failed',
  'The mail server did not accept the test.',
  '邮件服务器未接受测试邮件。',
)

const joined = (text: LocalText, more: LocalText): LocalText => ({
  en: `${text.en} ${more.en}`,
  zh: `${text.zh}${more.zh}`,
})

function nameOf(given: string): MailName {
  const name = MAIL_NAMES.find((each) => each === given)
  if (!name) throw notFound()
  return name
}

const examplesOf = (ctx: Context, mail: MailName, site: string): MailValues => ({
  ...Object.fromEntries(
    Object.entries(mailDefinition(mail).values).map(([name, { example }]) => [name, example]),
  ),
  site,
  address: ctx.config.publicUrl,
})

async function mailView(ctx: Context, mail: MailName, reads: 'en' | 'zh') {
  const { about, subject, text, values, needs = [], inLanguageOfReader = false } = mailDefinition(mail)
  const { isChanged, ...changed } = await readMailTexts(ctx, mail)
  const { name: site, url } = await mailSite(ctx)
  const common = {
    site: { about: { en: 'Name of the site', zh: '站点名称' }, example: site },
    address: { about: { en: 'Address of the site', zh: '站点地址' }, example: url },
  }
  return {
    mail,
    about: about[reads],
    in_language_of_reader: inLanguageOfReader,
    is_changed: isChanged,
    ...changed,
    original: {
      subject_en: subject.en,
      text_en: text.en,
      subject_zh: subject.zh,
      text_zh: text.zh,
    },
    placeholders: Object.entries({ ...values, ...common }).map(([name, { about: meaning, example }]) => ({
      name,
      about: meaning[reads],
      example: typeof example === 'string' ? example : example[reads],
      needed: needs.includes(name),
    })),
  }
}

const withChanges = (
  { isChanged: _, ...known }: MailTexts & { isChanged: boolean },
  changes: Partial<MailTexts>,
) => ({ ...known, ...changes }) as MailTexts

async function preview(
  ctx: Context,
  mail: MailName,
  changes: Static<typeof MailChanges>,
  reads: 'en' | 'zh',
) {
  const draft = withChanges(await readMailTexts(ctx, mail), changes as Partial<MailTexts>)
  checkMailTexts(mail, draft)
  const site = await mailSite(ctx)
  const values = examplesOf(ctx, mail, site.name)
  const { subject, text } = renderMail(mail, draft, values, reads)
  const code = values.code
  const shown = {
    subject: `${subject} · ${site.name}`,
    text,
    site,
    ...(typeof code === 'string' ? { code } : {}),
  }
  return { ...shown, html: mailHtml(shown) }
}

async function findOwnAddress(ctx: Context, userId: number): Promise<string> {
  const [row] = await ctx.sql<{ email: string | null }[]>`select email from users where id = ${userId}`
  if (!row?.email) throw noAddress()
  return row.email
}

export function adminMailRoutes(server: Server, ctx: Context) {
  const route = routesOn(server, ctx, { tag: 'Admin: site' })

  route('GET /admin/mails', {
    operationId: 'adminListMails',
    summary: 'List the mails that the server sends, with their texts and placeholders',
    access: ABILITY,
    reply: { 200: Type.Array(AdminMail) },
    handler: ({ request }) => Promise.all(MAIL_NAMES.map((mail) => mailView(ctx, mail, language(request)))),
  })

  route('PATCH /admin/mails/:mail', {
    operationId: 'adminUpdateMail',
    summary: 'Change the texts of a mail; null restores an original text',
    access: ABILITY,
    params: MailParams,
    body: MailChanges,
    reply: { 204: Empty },
    errors: [notFound],
    handler: async (call) => {
      const mail = nameOf(call.params.mail)
      await transaction(ctx.sql, async (tx) => {
        const before = await lockMailTexts(tx, mail)
        const after = { ...before, ...call.body } as MailTexts
        checkMailTexts(mail, after)
        await saveMailTexts(ctx, tx, mail, after)
        await recordAudit(tx, call, {
          action: 'mails.update',
          subjectType: 'mails',
          subjectId: mail,
          before,
          after,
        })
      })
    },
  })

  route('DELETE /admin/mails/:mail', {
    operationId: 'adminResetMail',
    summary: 'Restore the original texts of a mail',
    access: ABILITY,
    params: MailParams,
    reply: { 204: Empty },
    errors: [notFound],
    handler: async (call) => {
      const mail = nameOf(call.params.mail)
      await transaction(ctx.sql, async (tx) => {
        const before = await resetMailTexts(ctx, tx, mail)
        if (!before) return
        await recordAudit(tx, call, {
          action: 'mails.reset',
          subjectType: 'mails',
          subjectId: mail,
          before,
          after: null,
        })
      })
    },
  })

  route('POST /admin/mails/:mail/preview', {
    operationId: 'adminPreviewMail',
    summary: 'Render a mail with changed texts and example values, without storing them',
    access: ABILITY,
    params: MailParams,
    body: MailChanges,
    reply: { 200: MailPreview },
    errors: [notFound],
    handler: async ({ params, body, request }) => {
      const { subject, text, html } = await preview(ctx, nameOf(params.mail), body, language(request))
      return { subject, text, html }
    },
  })

  route('POST /admin/mails/:mail/test', {
    operationId: 'adminTestMail',
    summary:
      'Send a mail with changed texts and example values, to my own address unless the body names another',
    access: ABILITY,
    params: MailParams,
    body: TestBody,
    reply: { 204: Empty },
    errors: [notFound, noAddress, mailOff, mailFailed],
    handler: async (call) => {
      const { to: given, ...changes } = call.body
      if (ctx.config.smtpUrl === undefined) throw mailOff()
      if (given !== undefined && !isEmail(given)) throw invalidField('to', NO_EMAIL)
      const to = given ?? (await findOwnAddress(ctx, call.viewer.id))
      await ownAttemptCounter(ctx, call)()
      const { html: _, ...mail } = await preview(
        ctx,
        nameOf(call.params.mail),
        changes,
        language(call.request),
      )
      try {
        await mailSender(ctx).send({ to, kind: 'message', ...mail })
      } catch (error) {
        ctx.log.warn({ err: error }, 'a test mail was not accepted')
        const { code, status, text } = mailFailed
        const fault = error instanceof MailError ? error.fault : undefined
        throw fault ? new ApiError(status, code, joined(text, explainFault(fault))) : mailFailed()
      }
    },
  })
}

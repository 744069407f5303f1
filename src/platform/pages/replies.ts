import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '#platform/context.ts'
import { currentCaller } from '#platform/database/callers.ts'
import { language } from '#platform/error-reply.ts'
import { COMPRESSED_FROM, encodingFor, hasAlready } from '#platform/http/encoding.ts'
import { compare } from './compare.ts'
import { findFlags, type Overlay } from './overlay.ts'
import { encodedAs, NO_FLAGS, type Page, type Rendered } from './page.ts'
import { pagesOf } from './pages.ts'

/**
 * Whose replies a route keeps. `each`: the one that all guests get, and for each viewer their own. `everybody`: the same
 * for everybody. An overlay: viewers get the page of everybody with their own flags in it, where that is all they differ in.
 */
export type Kept = 'each' | 'everybody' | Overlay

/** Nobody, in a page that somebody signed in is shown: it has what guests are not told. */
export type StandIn = { readonly id: 0; readonly standsIn?: true }
const GUEST: StandIn = { id: 0 }
const STAND_IN: StandIn = { id: 0, standsIn: true }

/** The text of a reply as this viewer gets it; 404 and the like are thrown. */
type Write = (viewer: StandIn | { id: number }) => Promise<string>

const NO_NAMES: ReadonlySet<string> = new Set()

/** The handler sent something of its own, which is no page. */
export class SentAlready extends Error {}

/** Answers the requests of one route from pages that are kept. */
export type KeptRoute = {
  /** Answers a guest's request that was answered before, before anything is read of it; false where that cannot be. */
  answerAtOnce(request: FastifyRequest, reply: FastifyReply): boolean
  /** Answers a valid request; false where this viewer's reply is made for them alone and not kept. */
  answer(request: FastifyRequest, reply: FastifyReply, key: string, write: Write): Promise<boolean>
}

/** What keeps the replies of a route; a public one answers everybody as it does guests, all with the same status. */
export function keptRoute(
  ctx: Context,
  { kept, isPublic, status }: { kept: Kept; isPublic: boolean; status: number },
): KeptRoute {
  const pages = pagesOf(ctx)
  const overlay = typeof kept === 'string' ? undefined : kept
  const isShared = isPublic || kept === 'everybody'
  const names = overlay ? new Set(Object.keys(overlay.flags)) : NO_NAMES

  /** The key of the page of a viewer, whose keys differ from those of a guest's where the route says so. */
  const keyFor = (key: string, isGuest: boolean) => (overlay?.apart && !isGuest ? `${key} +` : key)

  /** Answers with what is this viewer's alone: kept from when it is asked for a second time. */
  const answerAlone: KeptRoute['answer'] = async (request, reply, key, write) => {
    const { id } = request.viewer as { id: number }
    const own = `${key} of ${id} in ${language(request)}`
    // A page that is kept comes from the primary: where a replica may answer, it does.
    if (currentCaller()?.replica || !pages.isAskedAgain(own)) {
      pages.tell('own')
      return false
    }
    const page = await made(reply, () => pages.get(own, id, NO_NAMES, () => write({ id })))
    if (!page) return true
    if (pages.isVerified)
      await compare(ctx, {
        page,
        key: own,
        shown: async () => page.forViewer(NO_FLAGS).bytes.toString(),
        write: () => write({ id }),
      })
    pages.countShown(page)
    reply.code(status)
    sendRendered(request, reply, page.forViewer(NO_FLAGS))
    return true
  }

  const toGuest = (request: FastifyRequest, reply: FastifyReply, page: Page) => {
    pages.countShown(page)
    reply.code(status)
    sendRendered(request, reply, page.forGuests(performance.now(), pages.ageOfCounts()))
  }

  return {
    answerAtOnce(request, reply) {
      if ((request.viewer !== null && !isShared) || request.method !== 'GET' || pages.isVerified) return false
      const key = pages.keyOf(request.raw.url as string)
      const page = key === undefined ? undefined : pages.find(key, request.viewer?.id ?? 0)
      if (!page) return false
      pages.tell('hit')
      toGuest(request, reply, page)
      return true
    },
    async answer(request, reply, key, write) {
      const viewerId = request.viewer?.id ?? 0
      if (viewerId === 0 || isShared) {
        const page = await made(reply, () => pages.get(key, viewerId, names, () => write(GUEST)))
        if (!page) return true
        if (pages.isVerified)
          await compare(ctx, {
            page,
            key,
            shown: async () => page.forGuests(performance.now(), 0).bytes.toString(),
            write: () => write(GUEST),
          })
        if (!page.noted.sources.isUnknown && isNameable(request))
          pages.remember(request.raw.url as string, key)
        toGuest(request, reply, page)
        return true
      }
      if (!overlay) return answerAlone(request, reply, key, write)
      const shared = keyFor(key, false)
      const stranger = overlay.apart ? STAND_IN : GUEST
      // What everybody is refused may be shown to this viewer, who is told then what is wrong.
      const page = await pages.get(shared, viewerId, names, () => write(stranger)).catch(() => undefined)
      const isOpen = page !== undefined && isSameFor(viewerId, page)
      const flags = isOpen && (await findFlags(ctx.sql, overlay, viewerId, page.flagged()))
      if (!page || !flags) return answerAlone(request, reply, key, write)
      if (pages.isVerified)
        await compare(ctx, {
          page,
          key: `${shared} for ${viewerId}`,
          shown: async () => {
            const found = await findFlags(ctx.sql, overlay, viewerId, page.flagged())
            return found && page.forViewer(found).bytes.toString()
          },
          write: () => write({ id: viewerId }),
        })
      pages.countShown(page)
      reply.code(status)
      sendRendered(request, reply, page.forViewer(flags))
      return true
    },
  }
}

/** Whether a page that was made for everybody differs in flags alone for this viewer. */
const isSameFor = (viewerId: number, { noted: { sources } }: Page): boolean =>
  sources.differsFor !== 'anybody' && !sources.differsFor.has(viewerId)

/** What is found or made; undefined where the handler has answered by itself. */
const made = (reply: FastifyReply, get: () => Promise<Page>): Promise<Page | undefined> =>
  get().catch((error) => {
    if (error instanceof SentAlready && reply.sent) return undefined
    throw error
  })

/** A token in an address is no part of a name that is remembered. */
const isNameable = (request: FastifyRequest) => !/[?&]token=/i.test(request.raw.url as string)

/** Sends bytes that are kept, or tells the client that it has them. */
function sendRendered(request: FastifyRequest, reply: FastifyReply, rendered: Rendered): void {
  const { headers } = request
  // Only what was read, and no more, has a tag.
  if (reply.statusCode === 200) reply.header('ETag', rendered.etag)
  if (reply.statusCode === 200 && hasAlready(headers['if-none-match'], rendered.etag))
    return void reply.code(304).send()
  reply.type('application/json; charset=utf-8')
  const accepts = headers['accept-encoding']
  const encoding =
    rendered.bytes.length < COMPRESSED_FROM || typeof accepts !== 'string' ? undefined : encodingFor(accepts)
  if (!encoding) return void reply.send(rendered.bytes)
  reply.header('Content-Encoding', encoding).send(encodedAs(rendered, encoding))
}

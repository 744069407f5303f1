import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Language } from '#platform/errors.ts'
import { builtFolder } from '../packages.ts'

export type Answer = { status: number; header(name: string): string | null; body: unknown }

/** Must match the type in web/src/server.tsx. */
export type WebRequest = {
  url: string
  origin: string
  language: Language
  theme: string
  hasSession: boolean
  /** True when the client accepts HTML, so that a missing page gets an HTML 404. */
  wantsPage: boolean
  nonce: string
  manifest: object
  ask(path: string): Promise<Answer>
  /** Set when a form of the page was sent without scripts. */
  form?: {
    fields: Record<string, string>
    /** Sends a request to the API. A token in the reply becomes the session. */
    send(method: string, path: string, payload: object): Promise<Answer>
  }
}

export type WebReply = {
  status: number
  type: string
  body: string
  location?: string
  /** True when the session of the request has expired or was revoked. */
  isSignedOut: boolean
  /** Viewer of a page, or 0 for a guest. */
  account?: number
}

export type Renderer = {
  manifest: object
  /** Asset names of the files whose addresses stay the same in all builds, by address. */
  fixed: Record<string, string>
  render(request: WebRequest): Promise<WebReply | undefined>
}

const BUILD_CHECK_INTERVAL_MS = 1000

export function rendererOf(): () => Promise<Renderer | undefined> {
  let loaded: { manifest: string; renderer: Promise<Renderer> } | undefined
  let lookedAt = Number.NEGATIVE_INFINITY
  return async () => {
    if (performance.now() - lookedAt < BUILD_CHECK_INTERVAL_MS) return loaded?.renderer
    lookedAt = performance.now()
    const manifest = readManifest()
    if (manifest && manifest !== loaded?.manifest)
      loaded = { manifest, renderer: load(manifest).catch(forget) }
    return loaded?.renderer
  }
  function forget(error: unknown): never {
    loaded = undefined
    throw error
  }
}

function readManifest(): string | undefined {
  try {
    return readFileSync(join(builtFolder('web'), 'manifest.json'), 'utf8')
  } catch {
    return undefined
  }
}

async function load(text: string): Promise<Renderer> {
  const { server, fixed, ...manifest } = JSON.parse(text) as Pick<Renderer, 'fixed'> & { server: string }
  const { render } = (await import(pathToFileURL(join(builtFolder('web'), 'server', server)).href)) as Pick<
    Renderer,
    'render'
  >
  return { manifest, fixed, render }
}

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Language } from '#platform/errors.ts'
import { builtFolder } from '../packages.ts'

/** Request to the renderer. It has the same type in web/src/server.tsx. */
export type WebRequest = {
  url: string
  origin: string
  language: Language
  theme: string
  /** Whether the request has a session. */
  hasSession: boolean
  /** Whether the client wants a page, also for an address that nothing has. */
  wantsPage: boolean
  nonce: string
  manifest: object
  /** Sends a request to the API in this process, as the visitor. */
  fetch(request: Request): Promise<Response>
}

export type WebReply = {
  status: number
  type: string
  body: string
  location?: string
  /** The session of the request is over. */
  isSignedOut: boolean
}

export type Renderer = {
  manifest: object
  render(request: WebRequest): Promise<WebReply | undefined>
}

/** Minimum interval between checks for a new build. */
const LOOK_AGAIN_MS = 1000

/** Returns a function that loads the built renderer of the site; undefined until it is built. */
export function rendererOf(): () => Promise<Renderer | undefined> {
  let loaded: { manifest: string; renderer: Promise<Renderer> } | undefined
  let lookedAt = Number.NEGATIVE_INFINITY
  return async () => {
    if (performance.now() - lookedAt < LOOK_AGAIN_MS) return loaded?.renderer
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
  const { server, ...manifest } = JSON.parse(text) as { server: string }
  const { render } = (await import(pathToFileURL(join(builtFolder('web'), 'server', server)).href)) as Pick<
    Renderer,
    'render'
  >
  return { manifest, render }
}

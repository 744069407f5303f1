declare module '*.svg' {
  const address: string
  export default address
}

declare module '*.png' {
  const address: string
  export default address
}

declare module '*.webp' {
  const address: string
  export default address
}

/** A part of the service worker, loaded for its effect. */
declare module '*.worker.js'

declare module 'virtual:pages' {
  export const PAGES: Record<string, () => Promise<{ page: import('./app/page.ts').Page }>>
}

declare module 'virtual:modules' {
  export const MODULES: import('./app/page.ts').SiteModule[]
}

/** Only the server loads these modules. */
declare module 'virtual:documents' {
  export const DOCUMENTS: { documents: import('./app/page.ts').Document[] }[]
}

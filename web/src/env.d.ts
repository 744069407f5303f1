declare module '*.svg' {
  const address: string
  export default address
}

/** A worker, which is a script of its own. */
declare module '*.worker.js' {
  const address: string
  export default address
}

/** Made by build.mjs: every `*-page.tsx` below modules/, by its file name. */
declare module 'virtual:pages' {
  export const PAGES: Record<string, () => Promise<{ page: import('./app/page.ts').Page }>>
}

/** Made by build.mjs: what the routes.ts of each folder of modules/ exports. */
declare module 'virtual:modules' {
  export const MODULES: import('./app/page.ts').SiteModule[]
}

/** Made by build.mjs: what the documents.ts of each folder of modules/ exports. The server alone has them. */
declare module 'virtual:documents' {
  export const DOCUMENTS: { documents: import('./app/page.ts').Document[] }[]
}

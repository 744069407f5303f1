const PLACEHOLDER = 'KITH_SITE'

const written = document.querySelector<HTMLMetaElement>('meta[name=site-name]')?.content

/** Name of the site. The server writes it into the page, so that it is known before the sign-in. */
export const SITE_NAME: string = written && written !== PLACEHOLDER ? written : 'Kith'

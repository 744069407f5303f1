import type { Secrets } from '#platform/crypto.ts'

type Site = { config: { publicUrl: string }; secrets: Secrets }

const signed = (service: string) => `text message receipts ${service}`

/** Checks the signed key in the URL for delivery reports, because most services do not sign their reports. */
export const isReceiptKey = ({ secrets }: Pick<Site, 'secrets'>, service: string, key: string): boolean =>
  secrets.verify(signed(service), key)

export const receiptAddress = (site: Site, service: string): string =>
  `${site.config.publicUrl}/text-messages/${service}/receipts/${site.secrets.sign(signed(service))}`

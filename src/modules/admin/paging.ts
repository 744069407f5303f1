export { listingQuery, pageOf } from '#platform/listing.ts'

import { Listing } from '#platform/listing.ts'
import { Nullable, OneOf, Shared, Text, Time, Type } from '#platform/schema.ts'
import { CERTIFICATION_TYPES } from '../../schema.ts'

/** A kind of certification as administrators see it. */
export const CategoryRecord = Shared('CertificationCategoryRecord', {
  name: Type.String(),
  display_name_en: Type.String(),
  display_name_zh: Type.String(),
  description: Nullable(Type.String()),
  icon: Nullable(Type.String({ description: 'Address of the badge beside the names of certified people' })),
  updated_at: Time,
})

export const CategoryListing = Listing(CategoryRecord)

export const CategoryParams = Type.Object({ name: OneOf(CERTIFICATION_TYPES) })

/** Names and badge of a kind. */
export const CategoryChange = Shared('CertificationCategoryChanges', {
  display_name_en: Type.Optional(Text(100)),
  display_name_zh: Type.Optional(Text(100)),
  description: Type.Optional(Nullable(Text(255))),
  icon: Type.Optional(Nullable(Text(2000, { pattern: '^https?://[^\\s"\'<>\\\\]+$' }))),
})

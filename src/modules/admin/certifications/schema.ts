import { UserView } from '#modules/accounts/index.ts'
import {
  CERTIFICATION_TYPES,
  CertificationChanges,
  CertificationView,
  Description,
  NewCertification,
} from '#modules/certifications/index.ts'
import { Listing } from '#platform/listing.ts'
import { Id, Int, Nullable, OneOf, type Static, Text, Type } from '#platform/schema.ts'
import { listingQuery } from '../paging.ts'

/** A certification with whose it is. */
export const ManagedCertification = Type.Object({
  ...CertificationView.properties,
  version: Type.Integer({ description: 'Changes with what was sent in; give it with a decision on it' }),
  user: Nullable(UserView),
})

/** The same in a list, which shows no papers. */
export const CertificationListing = Listing(ManagedCertification)

export const CertificationQuery = Type.Object({
  ...listingQuery(['id']),
  status: Type.Optional(Int(0, 2)),
  certification_name: Type.Optional(OneOf(CERTIFICATION_TYPES)),
  user_id: Type.Optional(Id),
})
export type CertificationQuery = Static<typeof CertificationQuery>

export const CertificationParams = Type.Object({ certification: Id })

/** The body of POST /admin/certifications; the files are uploads of who sends it. */
export const AddedCertification = Type.Object({ user_id: Id, ...NewCertification.properties })

/** The body of PATCH /admin/certifications/{certification}. */
export const CorrectedCertification = CertificationChanges

const version = Type.Optional(Int(1, 1_000_000_000))

/** `desc` is what everybody sees beside the badge. */
export const Acceptance = Type.Object({ desc: Description, version })

export const Rejection = Type.Object({ reject_content: Text(255), version })

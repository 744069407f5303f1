import { UserView } from '#modules/accounts/index.ts'
import { listingQuery } from '#platform/listing.ts'
import { Id, Int, Nullable, OneOf, Shared, type Static, Text, Type } from '#platform/schema.ts'
import {
  CERTIFICATION_TYPES,
  CertificationChanges,
  CertificationView,
  Description,
  NewCertification,
} from '../schema.ts'

/** A certification with whose it is. A list shows no papers. */
export const ManagedCertification = Shared('ManagedCertification', {
  ...CertificationView.properties,
  version: Type.Integer({ description: 'Changes with what was sent in; give it with a decision on it' }),
  user: Nullable(UserView),
})

/** Certifications by what became of them; `q` is looked for in them and in the names of accounts. */
export const CertificationQuery = Type.Object({
  ...listingQuery(['id']),
  status: Type.Optional(Int(0, 2)),
  certification_name: Type.Optional(OneOf(CERTIFICATION_TYPES)),
  user_id: Type.Optional(Id),
})
export type CertificationQuery = Static<typeof CertificationQuery>

export const CertificationParams = Type.Object({ certification: Id })

/** A certification for somebody; the files are uploads of who sends it. */
export const AddedCertification = Shared('AddedCertification', {
  user_id: Id,
  ...NewCertification.properties,
})

/** A correction: what is absent stays. */
export const CorrectedCertification = CertificationChanges

const version = Type.Optional(Int(1, 1_000_000_000))

/** `desc` is what everybody sees beside the badge. */
export const Acceptance = Shared('CertificationAcceptance', { desc: Description, version })

/** Why it is rejected, which the person is told. */
export const Rejection = Shared('CertificationRejection', { reject_content: Text(255), version })

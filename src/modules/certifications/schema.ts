import { FileView } from '#modules/files/index.ts'
import { Id, Nullable, OneOf, Shared, type Static, Text, Time, Type } from '#platform/schema.ts'

/** What can be certified: a person, or an organisation that somebody speaks for. */
export const CERTIFICATION_TYPES = ['user', 'org'] as const
export type CertificationType = (typeof CERTIFICATION_TYPES)[number]

/** What uploads of certifications are attached as, with the person's id. */
export const CERTIFICATION_FILE = 'certification:file'

export const STATUS = { waiting: 0, passed: 1, rejected: 2 } as const

/** The public description of a certified identity. */
export const Description = Text(250)
/** A list, or an object that names each file, as some clients send it. */
const Files = Type.Unsafe<number[] | Record<string, number | string>>({
  type: ['array', 'object'],
  items: Id,
  minItems: 1,
  maxItems: 10,
  minProperties: 1,
  maxProperties: 10,
  additionalProperties: { ...Id, type: ['integer', 'string'], maxLength: 15, pattern: '^[0-9]+$' },
  'x-list': true,
  description: 'Ids of uploads',
})

const parts = {
  name: Text(50, { description: 'of the person, or of who answers for the organisation' }),
  phone: Text(20),
  number: Text(50, { description: 'of the identity card or the business licence' }),
  desc: Description,
  files: Files,
  org_name: Type.Optional(Text(100)),
  org_address: Type.Optional(Text(200)),
}

/** What is sent in; an `org` has a name and an address besides. */
export const NewCertification = Shared('NewCertification', { type: OneOf(CERTIFICATION_TYPES), ...parts })
export type NewCertification = Static<typeof NewCertification>

/** What of it is changed: what is absent stays. */
export const CertificationChanges = Type.Partial(NewCertification, { title: 'CertificationChanges' })
export type CertificationChanges = Static<typeof CertificationChanges>

/** What a kind of certification is called in the language of the request. */
const CategoryView = Shared('CertificationCategory', {
  name: Type.String(),
  display_name: Type.String(),
  description: Nullable(Type.String()),
})

/** What was sent in. */
const CertificationData = Shared('CertificationData', {
  name: Type.String(),
  phone: Type.String(),
  number: Type.String(),
  desc: Type.String(),
  files: Type.Array(Type.Integer()),
  org_name: Nullable(Type.String()),
  org_address: Nullable(Type.String()),
  reject_content: Nullable(Type.String({ description: 'Why it was rejected' })),
})

/** A paper with an address of its bytes that is good for minutes, for pages that load pictures without a token. */
const CertificationFile = Shared('CertificationFile', { ...FileView.properties, url: Type.String() })

/** A certification as the person and those who decide on it see it. */
export const CertificationView = Shared('Certification', {
  id: Type.Integer(),
  certification_name: Type.String({ description: 'user or org' }),
  user_id: Type.Integer(),
  data: CertificationData,
  files: Type.Array(CertificationFile),
  examiner: Type.Integer({ description: 'Who decided; 0 for nobody' }),
  status: Type.Integer({ description: '0 waiting, 1 passed, 2 rejected' }),
  icon: Nullable(Type.String()),
  category: CategoryView,
  created_at: Time,
  updated_at: Time,
})
export type CertificationView = Static<typeof CertificationView>

/** The same, or an empty object for somebody without one, as the original answers. */
export const MaybeCertification = Type.Partial(CertificationView, { title: 'MaybeCertification' })

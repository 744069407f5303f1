import { FileView } from '#modules/files/index.ts'
import { apiError, fieldError } from '#platform/errors.ts'
import { Id, Nullable, OneOf, Shared, type Static, Text, Time, Type } from '#platform/http'

export const noCertification = apiError(
  404,
  'no_certification',
  'This certification does not exist.',
  '认证信息不存在。',
)
export const certificationExists = apiError(
  422,
  'certification_exists',
  'This person already has a certification.',
  '该用户已有认证记录。',
)
export const certificationPassed = apiError(
  422,
  'certification_passed',
  'The certification was accepted and cannot be changed.',
  '认证已通过，无法修改。',
)
export const certificationDecided = apiError(
  422,
  'certification_decided',
  'The certification already has this status.',
  '该认证已处于该状态。',
)
export const certificationChanged = apiError(
  422,
  'certification_changed',
  'The certification has changed in the meantime. Review it again.',
  '认证信息已变更，请重新审核。',
)
export const unknownPerson = fieldError(
  'user_id',
  'no_such_user',
  'This user does not exist.',
  '用户不存在。',
)

export const CERTIFICATION_TYPES = ['user', 'org'] as const
export type CertificationType = (typeof CERTIFICATION_TYPES)[number]

export const CERTIFICATION_FILE = 'certification:file'

export const STATUS = { waiting: 0, passed: 1, rejected: 2 } as const

export const Description = Text(250)
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
  name: Text(50, { description: "Name of the person, or of the organisation's representative" }),
  phone: Text(20),
  number: Text(50, { description: 'Number of the identity card or the business licence' }),
  desc: Description,
  files: Files,
  org_name: Type.Optional(Text(100)),
  org_address: Type.Optional(Text(200)),
}

export const NewCertification = Shared('NewCertification', { type: OneOf(CERTIFICATION_TYPES), ...parts })
export type NewCertification = Static<typeof NewCertification>

export const CertificationChanges = Type.Partial(NewCertification, { title: 'CertificationChanges' })
export type CertificationChanges = Static<typeof CertificationChanges>

const CategoryView = Shared('CertificationCategory', {
  name: Type.String(),
  display_name: Type.String(),
  description: Nullable(Type.String()),
})

const CertificationData = Shared('CertificationData', {
  name: Type.String(),
  phone: Type.String(),
  number: Type.String(),
  desc: Type.String(),
  files: Type.Array(Type.Integer()),
  org_name: Nullable(Type.String()),
  org_address: Nullable(Type.String()),
  reject_content: Nullable(Type.String({ description: 'Reason of a rejection' })),
})

/** `url` is signed and short-lived, because an `img` element sends no token. */
const CertificationFile = Shared('CertificationFile', { ...FileView.properties, url: Type.String() })

export const CertificationView = Shared('Certification', {
  id: Type.Integer(),
  certification_name: Type.String({ description: 'user or org' }),
  user_id: Type.Integer(),
  data: CertificationData,
  files: Type.Array(CertificationFile),
  examiner: Type.Integer({ description: 'User who decided; 0 for none' }),
  status: Type.Integer({ description: '0 waiting, 1 passed, 2 rejected' }),
  icon: Nullable(Type.String()),
  category: CategoryView,
  created_at: Time,
  updated_at: Time,
})
export type CertificationView = Static<typeof CertificationView>

export const MaybeCertification = Type.Partial(CertificationView, { title: 'MaybeCertification' })

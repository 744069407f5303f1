import { isPhone, normalizePhone } from '#lib/identifiers.ts'
import { hasAbility } from '#modules/abilities/index.ts'
import { attachFiles, detachFiles } from '#modules/files/index.ts'
import { notify, withdrawNotifications } from '#modules/notifications/index.ts'
import { requireNotErased, setVerified } from '#modules/users/index.ts'
import type { Context } from '#platform/context.ts'
import { type Db, onConstraint, type Tx } from '#platform/database'
import { invalidField } from '#platform/errors.ts'
import { fieldName } from '#platform/field-names.ts'
import { addJob } from '#platform/jobs'
import {
  type By,
  type CategoryChanges,
  type CertificationCategoryRow,
  type CertificationRow,
  decideCertification,
  deleteCertification,
  findCategory,
  findCertification,
  insertCertification,
  replaceCertification,
  type Statement,
  updateBadgesAfter,
  updateCategory,
} from './queries.ts'
import {
  CERTIFICATION_FILE,
  type CertificationChanges,
  type CertificationType,
  certificationChanged,
  certificationDecided,
  certificationExists,
  certificationPassed,
  type NewCertification,
  noCertification,
  STATUS,
  unknownPerson,
} from './schema.ts'

const CAUSE = 'certifications'

export type Sender = { userId: number; uploaderId: number }

const missing = (field: string) =>
  invalidField(field, { en: `The ${field} field is required.`, zh: `${fieldName(field)}不能为空。` })

const idsOf = (files: CertificationChanges['files']) =>
  files === undefined || Array.isArray(files) ? files : Object.values(files).map(Number)

function phoneOf(phone: string): string {
  if (!isPhone(phone))
    throw invalidField('phone', { en: 'This is not a mobile phone number.', zh: '手机号格式不正确。' })
  return normalizePhone(phone)
}

function statementOf(input: CertificationChanges, before?: Statement): Statement {
  const { type = before?.type, name = before?.name, number = before?.number } = input
  const files = idsOf(input.files) ?? before?.files
  const description = input.desc ?? before?.description
  const phone = input.phone === undefined ? before?.phone : phoneOf(input.phone)
  const org_name = type === 'org' ? (input.org_name ?? before?.org_name) : null
  const org_address = type === 'org' ? (input.org_address ?? before?.org_address) : null
  const fields = { type, name, phone, number, desc: description, files, org_name, org_address }
  for (const [field, value] of Object.entries(fields))
    if (value === undefined || (type === 'org' && value === null)) throw missing(field)
  const { desc: _, ...rest } = fields
  return { ...rest, description, files: [...new Set(files)] } as Statement
}

const attach = (tx: Tx, { userId, uploaderId }: Sender, ids: number[]) =>
  attachFiles(tx, { ids, ownerId: uploaderId, channel: CERTIFICATION_FILE, raw: userId, field: 'files' })

async function add(
  tx: Tx,
  sender: Sender,
  input: NewCertification,
  outcome: { status: number; examiner: number },
): Promise<number> {
  const statement = statementOf(input)
  const id = await onConstraint(insertCertification(tx, sender.userId, statement, outcome), {
    certifications_pkey: certificationExists,
    certifications_user_id_fkey: unknownPerson,
  })
  await attach(tx, sender, idsOf(input.files) ?? [])
  return id
}

async function replace(
  tx: Tx,
  sender: Sender,
  before: CertificationRow,
  changes: CertificationChanges,
  outcome: { status: number; examiner: number },
): Promise<Statement> {
  const statement = statementOf(changes, before)
  const fresh = (idsOf(changes.files) ?? []).filter((file) => !before.files.includes(file))
  const removed = before.files.filter((file) => !statement.files.includes(file))
  await attach(tx, sender, fresh)
  if (removed.length > 0) await detachFiles(tx, { ids: removed })
  await replaceCertification(tx, sender.userId, statement, outcome)
  return statement
}

async function getLocked(tx: Tx, by: By): Promise<CertificationRow> {
  const row = await findCertification(tx, by, { lock: true })
  if (!row) throw noCertification()
  return row
}

export const apply = (tx: Tx, userId: number, input: NewCertification): Promise<number> =>
  add(tx, { userId, uploaderId: userId }, input, { status: STATUS.waiting, examiner: 0 })

export async function applyAgain(tx: Tx, userId: number, changes: CertificationChanges): Promise<void> {
  const before = await getLocked(tx, { userId })
  if (before.status === STATUS.passed) throw certificationPassed()
  const sender = { userId, uploaderId: userId }
  await replace(tx, sender, before, changes, { status: STATUS.waiting, examiner: 0 })
}

export async function requireChangeable(sql: Db, userId: number): Promise<void> {
  const row = await findCertification(sql, { userId })
  if (!row) throw noCertification()
  if (row.status === STATUS.passed) throw certificationPassed()
}

export async function requireNone(sql: Db, userId: number): Promise<void> {
  if (await findCertification(sql, { userId })) throw certificationExists()
}

/** Locks the category against a concurrent change of its icon. */
async function certify(tx: Tx, userId: number, type: CertificationType, description: string): Promise<void> {
  const { icon } = await findCategory(tx, type, 'share')
  await setVerified(tx, userId, { type, icon, description })
}

/** Clients display `contents` as the reason of a rejection. */
const notifyApplicant = (
  tx: Tx,
  userId: number,
  id: number,
  state: 'passed' | 'rejected',
  contents?: string,
) =>
  notify(tx, {
    type: 'system',
    recipients: [userId],
    senderId: 0,
    cause: { type: CAUSE, id },
    data: {
      type: 'user-certification',
      state,
      certification: { id },
      ...(contents === undefined ? {} : { contents }),
    },
  })

type Seen = { version?: number | undefined; examiner: number }

async function getUndecided(tx: Tx, id: number, status: number, seen: Seen): Promise<CertificationRow> {
  const row = await getLocked(tx, { id })
  if (row.status === status) throw certificationDecided()
  if (seen.version !== undefined && seen.version !== row.version) throw certificationChanged()
  return row
}

export async function pass(
  tx: Tx,
  id: number,
  { desc: description, ...seen }: Seen & { desc: string },
): Promise<CertificationRow> {
  const row = await getUndecided(tx, id, STATUS.passed, seen)
  const { user_id: userId, type } = row
  const { examiner } = seen
  await decideCertification(tx, userId, { status: STATUS.passed, examiner, description, reason: null })
  await certify(tx, userId, type, description)
  await notifyApplicant(tx, userId, id, 'passed')
  return row
}

export async function reject(
  tx: Tx,
  id: number,
  { reason, ...seen }: Seen & { reason: string },
): Promise<CertificationRow> {
  const row = await getUndecided(tx, id, STATUS.rejected, seen)
  const { user_id: userId } = row
  await decideCertification(tx, userId, { status: STATUS.rejected, examiner: seen.examiner, reason })
  if (row.status === STATUS.passed) await setVerified(tx, userId, null)
  await notifyApplicant(tx, userId, id, 'rejected', reason)
  return row
}

export async function addCertified(
  tx: Tx,
  { userId, uploaderId }: Sender,
  input: NewCertification,
): Promise<number> {
  await requireNotErased(tx, userId)
  const outcome = { status: STATUS.passed, examiner: uploaderId }
  const id = await add(tx, { userId, uploaderId }, input, outcome)
  await certify(tx, userId, input.type, input.desc)
  await notifyApplicant(tx, userId, id, 'passed')
  return id
}

export async function changeCertified(
  tx: Tx,
  id: number,
  uploaderId: number,
  changes: CertificationChanges,
): Promise<CertificationRow> {
  const before = await getLocked(tx, { id })
  const { user_id: userId } = before
  const outcome = { status: STATUS.passed, examiner: uploaderId }
  const { type, description } = await replace(tx, { userId, uploaderId }, before, changes, outcome)
  await certify(tx, userId, type, description)
  if (before.status !== STATUS.passed) await notifyApplicant(tx, userId, id, 'passed')
  return before
}

export async function removeCertification(tx: Tx, id: number): Promise<CertificationRow> {
  const row = await getLocked(tx, { id })
  await detachFiles(tx, { channel: CERTIFICATION_FILE, raws: [row.user_id] })
  await deleteCertification(tx, row.user_id)
  if (row.status === STATUS.passed) await setVerified(tx, row.user_id, null)
  await withdrawNotifications(tx, { recipients: [row.user_id], cause: { type: CAUSE, id } })
  return row
}

export async function revokeCertification(tx: Tx, userId: number, examiner: number): Promise<void> {
  const row = await findCertification(tx, { userId }, { lock: true })
  if (row?.status !== STATUS.passed) return
  await decideCertification(tx, userId, { status: STATUS.rejected, examiner, reason: null })
}

export async function changeCategory(
  tx: Tx,
  name: CertificationType,
  changes: CategoryChanges,
): Promise<CertificationCategoryRow> {
  const before = await findCategory(tx, name, 'update')
  await updateCategory(tx, name, changes)
  if (changes.icon !== undefined && changes.icon !== before.icon) await addJob(tx, 'renew_badges', { name })
  return before
}

const AT_ONCE = 1000

export async function updateAllBadges(ctx: Context, name: CertificationType): Promise<void> {
  for (let last: number | undefined = 0; last !== undefined; )
    last = await updateBadgesAfter(ctx.sql, name, last, AT_ONCE)
}

export const mayReadDocuments = async (ctx: Context, { raw }: { raw: number | null }, viewerId: number) =>
  viewerId > 0 && (raw === viewerId || (await hasAbility(ctx, viewerId, 'admin: certifications')))

export async function forgetCertification(tx: Tx, userId: number): Promise<void> {
  const row = await findCertification(tx, { userId }, { lock: true })
  if (!row) return
  if (row.files.length > 0) await detachFiles(tx, { ids: row.files })
  await deleteCertification(tx, userId)
}

import { CERTIFICATION_FILE } from '#modules/certifications/index.ts'
import { readObject } from '../classes.ts'
import { orNone } from '../database/changes.ts'
import { defineTable, type ImportStep } from '../database/table.ts'
import { TIME_COLUMNS, TIMES, timesOf } from '../database/times.ts'
import { all, custom, replaced } from '../database/vanishing.ts'
import { relation, upsert } from '../database/write.ts'
import { claimUses, findUses, unclaimed } from './files/uses.ts'

const KINDS = new Set(['user', 'org'])

/** Names of a new database, for kinds that the source no longer names. */
const DEFAULT_NAMES = [
  { kind: 'user', name: '个人认证' },
  { kind: 'org', name: '组织认证' },
]

const categories = defineTable({
  table: 'certification_categories',
  by: null,
  into: [
    {
      table: 'certification_categories',
      key: { name: 'name' },
      columns: { display_name: 'display_name_zh' },
    },
  ],
  key: ['name'],
  gone: custom('reset', {
    before: (tx) => tx`
      update certification_categories c set display_name_zh = r.name, description = null
      from ${relation(tx, { kind: 'text', name: 'text' }, DEFAULT_NAMES)} where c.name = r.kind`,
  }),
  columns: { name: 'text', display_name: 'text', description: 'text' },
  async write(tx, rows, batch) {
    for (const row of rows) {
      if (!KINDS.has(row.name ?? '')) batch.leaveOut(row, 'unknown kind of certification')
      else
        await tx`
          update certification_categories
          set display_name_zh = coalesce(${row.display_name}, display_name_zh), description = ${row.description}
          where name = ${row.name}`
    }
  },
})

const certifications = defineTable({
  table: 'certifications',
  by: 'user_id',
  width: 2000,
  into: [
    {
      table: 'certifications',
      key: { user_id: 'user_id' },
      columns: { certification_name: 'type', data: null, examiner: orNone },
    },
  ],
  key: ['id'],
  gone: all(unclaimed('certifications'), replaced({ table: 'certifications', by: 'user_id' })),
  // Any upload that comes or goes can be a document, and the source names them only inside `data`.
  reread: 'always',
  columns: {
    id: 'int',
    certification_name: 'text',
    user_id: 'int',
    data: 'text',
    examiner: 'int',
    status: 'int',
    ...TIMES,
  },
  async write(tx, rows, batch) {
    const people = await batch.find(
      'users',
      rows.map((row) => row.user_id),
    )
    const best = new Map<number, (typeof rows)[number]>()
    const isBetter = (row: (typeof rows)[number], other: (typeof rows)[number]) =>
      row.status === 1 || other.status !== 1
    for (const row of rows) {
      const other = best.get(row.user_id ?? 0)
      if (!people.has(row.user_id ?? 0)) batch.leaveOut(row, 'the user no longer exists')
      else if (!KINDS.has(row.certification_name ?? '')) batch.leaveOut(row, 'unknown kind of certification')
      else if (!readObject(row.data)) batch.leaveOut(row, 'unreadable data')
      else if (other && !isBetter(row, other)) batch.merge(row, 'superseded by another one of the same user')
      else {
        if (other) batch.merge(other, 'superseded by another one of the same user')
        best.set(row.user_id ?? 0, row)
      }
    }
    const wanted = [...best.values()].flatMap(({ data }) => filesOf(readObject(data)))
    const there = new Set((await findUses(tx, wanted)).map(({ id }) => id))
    const given = [...best.values()].map((row) => {
      const data = readObject(row.data) ?? {}
      const papers = filesOf(data)
      const files = papers.filter((id) => there.has(id))
      if (files.length < Object.values((data.files ?? []) as object).length)
        batch.mend(row, 'missing documents: removed', { column: 'data', new: { files } })
      const text = (name: string) =>
        data[name] === undefined || data[name] === null ? '' : String(data[name])
      const org = row.certification_name === 'org'
      return {
        user_id: row.user_id,
        id: row.id,
        type: row.certification_name,
        status: row.status === 1 || row.status === 2 ? row.status : 0,
        name: text('name'),
        phone: text('phone'),
        number: text('number'),
        description: text('desc'),
        org_name: org ? text('org_name') : null,
        org_address: org ? text('org_address') : null,
        files,
        reject_reason: row.status === 2 ? text('reject_content') : null,
        examiner: row.examiner ?? 0,
        ...timesOf(row),
      }
    })
    const columns = {
      user_id: 'bigint',
      id: 'bigint',
      type: 'text',
      status: 'smallint',
      name: 'text',
      phone: 'text',
      number: 'text',
      description: 'text',
      org_name: 'text',
      org_address: 'text',
      files: 'bigint[]',
      reject_reason: 'text',
      examiner: 'bigint',
      ...TIME_COLUMNS,
    }
    await upsert(tx, 'certifications', columns, given, { key: ['user_id'] })
    await claimUses(
      tx,
      'certifications',
      given.flatMap(({ user_id, files }) =>
        files.map((id) => ({ placeId: user_id ?? 0, id, channel: CERTIFICATION_FILE, raw: user_id })),
      ),
    )
  },
})

const filesOf = (data: Record<string, unknown> | undefined): number[] =>
  Object.values((data?.files ?? []) as object)
    .map(Number)
    .filter((id) => Number.isSafeInteger(id) && id > 0)

export const showBadges: ImportStep = {
  name: 'badges',
  run: ({ transaction }) =>
    transaction(async (tx) => {
      await tx`
        update users u set verified = c.badge from (
          select c.user_id, jsonb_build_object('type', c.type, 'icon', k.icon, 'description', c.description) as badge
          from certifications c join certification_categories k on k.name = c.type where c.status = 1
        ) c
        where u.id = c.user_id and u.verified is distinct from c.badge`
      await tx`
        update users u set verified = null where verified is not null and not exists (
          select from certifications c where c.user_id = u.id and c.status = 1)`
    }),
}

export const certificationTables = [categories, certifications]

import type { FastifyRequest } from 'fastify'
import { type AuditEntry, recordAudit as recordChange } from '#modules/audit/index.ts'
import type { Db } from '#platform/database.ts'
import { viewerOf } from '#platform/http.ts'

/** Keeps an administrative change of a request. */
export const recordAudit = (tx: Db, request: FastifyRequest, entry: AuditEntry): Promise<void> =>
  recordChange(tx, { viewer: viewerOf(request), request }, entry)
